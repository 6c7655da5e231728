"""The arguments of a program by the usage text that it printed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from lab.cli.adopt.sources import END, PLACES, SAID, STRING, any_number, of_option, place, value_of

FORMS = re.compile(r"\s\|\s")  # between two forms
PLACEHOLDER = re.compile(r"<[^>]+>|[A-Z][A-Z0-9_]*(?:\[.*)?")
CHOICE = re.compile(r"<?([\w-]+(?:\|[\w-]+)+)>?")
# A flag for each end, of which one may have a value, before the other arguments.
FLAGS = re.compile(r"\[?(--?\w[\w-]*)\s*\|\s*(--?\w[\w-]*(?:[ =](?!-)[^\s\[\]]+)?)\]?(.*)")
# An option and what it is for: -p, --port <port>   port of the server
DESCRIBED = re.compile(
    r"\s*(-\w|--[\w-]+)(?:\s*[,/|]\s*(--?[\w-]+))?,?(?:[ =](<[^>]+>|[A-Za-z]\w*))?(?:\s{2,}|\t|: |(?<=>) (?=[a-z]))(.*)"
)
ADDRESS_AND_PORT = re.compile(r"(?i)<?(?:host|addr\w*|ip|server)>?:<?port>?")
USAGE = "usage|syntax|synopsis|aufruf|verwendung|utilisation|uso"
PROSE = ("a", "an", "the", "and", "to", "at", "for", "as", "with", "on")  # words that name no argument


@dataclass(frozen=True)
class Argument:
    words: tuple[str, ...]
    role: str = ""  # of its value
    is_optional: bool = False

    @property
    def is_positional(self) -> bool:
        return not self.words[0].startswith("-") and "=" not in self.words[0]


def usage_of(printed: str, *binaries: str) -> str:
    """The usage text in an output: behind that word, or from a line with a program's options; empty without one."""
    own = "|".join(re.escape(PurePath(binary).name) for binary in binaries) or "\0"
    form = rf"\b(?i:{USAGE})\b\s*:?(.*)|^((?:\S*/)?(?:{own})\s+(?:-\w|--\w|\[|<|[^\n]*\b[A-Z]{{3,}}\b).*)"
    found = re.search(form, printed, re.DOTALL | re.MULTILINE)
    return found[1] or found[2] if found else ""


def usage_in(source: str, binary: str) -> str:
    """The usage text that a source has, as it would be printed."""
    statement = re.search(rf'"[^"\n]*\b(?:{USAGE})\b[^;]*', source, re.IGNORECASE)
    text = re.sub(r'"\s*<<\s*\w+\[0\]\s*<<\s*"', "%s", statement[0]) if statement else ""
    strings = "".join(re.findall(STRING, text)).replace("%s", PurePath(binary).name)
    return usage_of(strings.replace("\\n", "\n").replace("\\t", "\t"))


def usage_arguments(usage: str, binary: str, end: str, *, alone: bool) -> list[str]:
    """The arguments of a program at one end; alone: the same program is also the other end."""
    forms = [list(arguments(form, end)) for form in forms_of(usage, PurePath(binary).name)]
    named = [form for form in forms if any(SAID[end].search(word.lower()) for word in fixed_words(form))]
    by_host = [form for form in forms if any(each.role == "host" for each in form) == (end == "client")]
    form = next(iter([*named, *by_host, *forms]), [])
    known, words, are_left_out = {each.words[0] for each in form}, list[str](), False
    is_whole = any(each.role not in ("", "host") and not each.is_positional for each in form)  # it has its options
    others = [] if is_whole else [option for option in options_described(usage) if option.words[0] not in known]
    for each in [*form, *others]:
        is_of_client = each.role == "host" and end == "server" and (each.is_optional or (alone and len(forms) > 1))
        is_used = not is_of_client and (each.role or not each.is_optional) and not (each.is_positional and are_left_out)
        words += each.words if is_used else ()
        are_left_out |= each.is_positional and not is_used
    return words


def fixed_words(form: list[Argument]) -> list[str]:
    """The words without a role, and the option that a form begins with."""
    first = (each.words[0] for each in form[:1] if not each.is_positional)
    return [*first, *(word for each in form if not each.role for word in each.words)]


def forms_of(usage: str, binary: str) -> list[str]:
    """The forms of a command without the program's name: on lines of their own, or on one line."""
    lines = list[str]()
    for line in re.sub(r"\bor:", "", usage).splitlines():
        is_new = any(PurePath(word).name == binary for word in line.split()[:3])
        if lines and (DESCRIBED.fullmatch(line) or not (is_new or line.startswith((" ", "\t"))) or not line.strip()):
            break
        form = re.sub(r"\s{2,}(?=[a-z]).*", "", line.strip())  # without what it does
        lines = [*lines, form] if is_new or not lines else [*lines[:-1], f"{lines[-1]} {form}"]
    before = re.compile(rf"^.*?(?<![\w-]){re.escape(binary)}(?=\s|$)")
    whole = [*dict.fromkeys(before.sub("", line).strip() for line in lines if line)]  # printed once or more
    if len(whole) == 1 and (flags := FLAGS.fullmatch(whole[0])):
        of_both = (token for token in tokens_of(flags[3]) if token.startswith("["))
        return [" ".join((flags[1], *of_both)), f"{flags[2]} {flags[3]}"]
    forms = [FORMS.split(line) for line in whole]
    return [
        without_prose(form if index == 0 else before.sub("", form)) for each in forms for index, form in enumerate(each)
    ]


def without_prose(form: str) -> str:
    """The form without what it does, as in `<host> connect to server at <host>`."""
    tokens = tokens_of(form)
    end = next((at for at, token in enumerate(tokens) if token in PROSE), len(tokens))
    while end < len(tokens) and end and re.fullmatch("[a-z]+", tokens[end - 1]):
        end -= 1
    return " ".join(tokens[:end])


def tokens_of(form: str) -> list[str]:
    """The words of a form; brackets with all that is in them are one."""
    tokens, depth = [""], 0
    for sign in form:
        depth += (sign in "[<") - (sign in "]>")
        tokens = [*tokens, ""] if sign.isspace() and depth == 0 else [*tokens[:-1], tokens[-1] + sign]
    return [token for token in tokens if token]


def arguments(form: str, end: str, *, is_optional: bool = False) -> Iterator[Argument]:
    tokens = tokens_of(form)
    hosts = [token for token in tokens if not token.startswith(("-", "[")) and place(token) == "host"]
    while tokens:
        token = tokens.pop(0)
        equal = re.fullmatch(r"(--?\w[\w-]*|[a-z]\w*)=(.+)", token)
        if token in hosts[:-1] and re.fullmatch("[a-z]+", token):  # a word as it is, as in `connect HOST`
            yield Argument((token,))
        elif token.startswith("[") and token.endswith("]"):
            yield from arguments(token[1:-1], end, is_optional=True)
        elif equal:
            yield argument(equal[1], "=", equal[2], end, is_optional=is_optional)
        elif token.startswith("-") and tokens and not tokens[0].startswith(("-", "[")):
            value = " ".join(tokens) if is_optional else tokens[0]
            tokens = [] if is_optional else tokens[1:]
            yield argument(token, " ", value, end, is_optional=is_optional)
        elif token.startswith("-"):
            flags = tuple(token.split("|"))
            mine = tuple(flag for flag in flags if SAID[end].search(flag.lower()))
            yield Argument((mine or flags)[:1], is_optional=is_optional and not mine)
        elif "=" not in token and not token.startswith(("[", "(")):
            yield argument("", "", token, end, is_optional=is_optional)


def argument(option: str, sign: str, value: str, end: str, *, is_optional: bool) -> Argument:
    """An argument with a value, by the words about it; a choice of numbers or words is that of the end."""
    name = of_option(PLACES, option.strip("-"), value.strip("-<>[]"))
    if ADDRESS_AND_PORT.fullmatch(value):
        return Argument((option, "{host}:{port}") if option else ("{host}:{port}",), "address", is_optional)
    if choice := CHOICE.fullmatch(value.partition(" ")[0]):
        words = choice[1].split("|")
        mine = next((word for word in words if SAID[end].search(word.lower())), "")
        said, name = mine or words[end == "client" and words[0].isdecimal()], ""
        is_optional &= not mine
    elif (not option or sign == "=") and (END.fullmatch(value) or not (name or PLACEHOLDER.fullmatch(value))):
        said, name = value, ""  # a word as it is
    else:
        said = value_of(name) if name else any_number(value, end)
    return Argument(tuple(f"{option}{sign}{said}".split(" ")), name, is_optional)


def options_described(usage: str) -> Iterator[Argument]:
    """The options with a known meaning in the lines below the forms."""
    described = (re.sub(r"\s+$", "", line) for line in usage.splitlines())
    matches = {found[1]: found for found in filter(None, map(DESCRIBED.fullmatch, described))}
    for found in matches.values():
        long = found[2] or (found[1] if found[1].startswith("--") else "")
        texts = (text.strip("-<>") for text in (long, found[3] or "", found[4] if found[3] else ""))
        if not re.search(PLACES[""], long) and (name := of_option(PLACES, *texts)):
            yield Argument((found[1], value_of(name)), name, is_optional=True)
