"""LaTeX within a line as HTML: numbers, references, mathematics."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape

from pylatexenc.latex2text import LatexNodes2Text, get_default_latex_context_db  # type: ignore[import-untyped]

from lab.model.sizes import format_size
from lab.report.errors import ReportError
from lab.report.evidence.environment import RecordSet, sets_of
from lab.report.html.reading import Node, arguments, kind, macro, nodes_of, source_of
from lab.report.query.judge import words
from lab.report.query.value import Point, StatementResult, Value
from lab.report.tex.numbers import SCALES, plain_unit
from lab.report.tex.render import SIGNS
from lab.report.text.backing import Backing

THIN, SPACE = "\u202f", "\u00a0"  # neither breaks a line
_COMMAND = re.compile(r"\\([a-zA-Z]+)\s*")
_LONG = re.compile(r"^-?\d{5,}")


def number(typed: str) -> str:
    """Digits in groups of three from five on, and a minus sign."""
    grouped = _LONG.sub(lambda digits: f"{int(digits[0]):,}".replace(",", THIN), typed)
    return grouped.replace("-", "\N{MINUS SIGN}")


def quantity(typed: str, unit: str) -> str:
    return f"{number(typed)}{SPACE}{plain_unit(unit)}"


def value(typed: str, unit: str = "") -> float | None:
    """The value in the unit without its prefix; None if it is not a number."""
    prefix = _COMMAND.match(unit)
    scale = SCALES.get(prefix[1], 1.0) if prefix else 1.0
    try:
        return float(typed) * scale
    except ValueError:
        return None


def _button(number: str, text: str, about: str) -> str:
    """A button and its popover, which the browser opens without a script and Escape closes."""
    button = f'<button type="button" class="claim" popovertarget="tip{number}">{text}</button>'
    return f'{button}<span popover id="tip{number}">{about}</span>'


def _row(point: Point) -> str:
    size = format_size(point.size) if point.size else "all"
    cells = f'<td class="r">{escape(words(point.value))}</td><td>{point.truth.value}</td>'
    return f'<tr><th scope="row" class="r">{size}</th>{cells}</tr>'


# Commands by their form on the page: an element, their content, nothing, or fixed text.
TAGS = {"emph": "em", "textit": "em", "textbf": "strong", "texttt": "code"}
TAGS |= {"textsuperscript": "sup", "textsubscript": "sub"}
CONTENT = frozenset({"text", "textrm", "textsc", "mathrm", "rlap", "labpart", "title", "mbox"})
NOTHING = frozenset(
    """small footnotesize large raggedright begingroup endgroup setlength vspace noindent labsettle labroom pagestyle
    centering leftskip parskip appendix hypersetup documentclass usepackage author input newblock / -""".split()  # noqa: SIM905
)
WRITTEN = {"allowbreak": "<wbr>", "\\": "<br>", ",": "\N{THIN SPACE}", " ": " ", "quad": " ", "qquad": " "}
WRITTEN |= {"labwarned": "<sup>\N{DAGGER}</sup>", "labto": " \N{RIGHTWARDS ARROW} ", "textmu": "µ", "ne": "≠"}
WRITTEN |= {"LaTeX": "LaTeX", "TeX": "TeX", "labtypesetter": "pdfTeX, for the PDF; this page is made of the same text"}
WRITTEN |= {command: escape(sign) for command, sign in SIGNS.items()}
SPECIALS = {"~": SPACE, "``": "\u201c", "''": "\u201d", "--": "\u2013", "---": "\u2014"}
_LIBRARY = LatexNodes2Text()
_KNOWN = get_default_latex_context_db()
_LABS = re.compile(
    r"\\labclaim\{\w+\}\{(?:[^{}]|\{[^{}]*\})*\}|\\(?:labshows|labgiven|(?:lab)?num|unit|(?:qty|SI)\{[^{}]*\})\{[^{}]*\}"
)
MARK = "\ufdd0"  # around the index of a number in a formula; no text contains it


@dataclass
class Inline:
    """Writes the text within a line, with the evidence of a report by its numbers."""

    backings: dict[str, Backing]
    sets: tuple[RecordSet, ...]
    places: dict[str, int]  # the numbers of `figure:throughput`, `source:frey`

    def write(self, nodes: Iterable[Node | str]) -> str:
        return "".join(map(self._node, nodes))

    def evidence(self, number: list[Node], *parts: list[Node]) -> str:
        """A statement in the list at the end, with the values behind it, size by size."""
        name = source_of(number)
        judged = self.backings[name].judged
        assert judged
        statement, shows, n, records = map(self.write, parts)
        about = f"{shows}; n = {n}; {records}" if n else f"{shows}; {records}"
        line = f'<p><span id="evidence:{name}">{name}</span> <code>{statement}</code> {about}</p>'
        head = "<tr><th scope=col>size</th><th scope=col>value, interval</th><th scope=col>holds</th></tr>"
        table = f"<table><thead>{head}</thead><tbody>{''.join(map(_row, judged.points))}</tbody></table>"
        return f'<div class="evidence">{line}<details><summary>rows</summary>{table}</details></div>'

    def _node(self, node: Node | str) -> str:
        if isinstance(node, str):
            return _letters(node)
        match kind(node):
            case "Chars":
                return _letters(node.chars)
            case "Group":  # BibTeX writes titles as {\\em Title}
                first, *rest = node.nodelist or [""]
                return f"<em>{self.write(rest)}</em>" if macro(first) == "em" else self.write(node.nodelist)
            case "Specials":
                return SPECIALS.get(node.specials_chars, escape(node.specials_chars))
            case "Math":
                return self._formula(node)
            case "Macro":
                return self._macro(macro(node), node)
            case "Comment":
                return ""
        raise ReportError(f"the page cannot show the environment {node.environmentname!r} within a line")

    def _macro(self, name: str, node: Node) -> str:
        if name in NOTHING:
            return ""
        if name in WRITTEN:
            return WRITTEN[name]
        contents = arguments(node)
        if name in CONTENT:
            return self.write(contents[-1])
        if name in TAGS:
            return f"<{TAGS[name]}>{self.write(contents[-1])}</{TAGS[name]}>"
        if name in WRITERS:
            return WRITERS[name](self, *contents)
        if not getattr(_KNOWN.get_macro_spec(name), "macroname", ""):
            raise ReportError(f"the page cannot show the command \\{name}")
        return escape(str(_LIBRARY.node_to_text(node)), quote=False)  # letters, accents and signs

    def _formula(self, node: Node) -> str:
        """The formula as MathML, with numbers as in a sentence."""
        from latex2mathml.converter import convert  # loads a web client, so only where there is a formula

        numbers = list[str]()

        def replaced(command: re.Match[str]) -> str:
            numbers.append(self.write(nodes_of(command[0])))
            return rf"\text{{{MARK}{len(numbers) - 1}{MARK}}}"

        display = "block" if node.displaytype == "display" else "inline"
        formula = convert(_LABS.sub(replaced, source_of(node.nodelist)), display=display)
        return re.sub(rf"{MARK}(\d+){MARK}", lambda place: numbers[int(place[1])], formula)

    def claim(self, number: str, text: str) -> str:
        """A number that opens its query, interval, n and records."""
        answer = self.backings[number].value
        assert answer
        return _button(number, text, escape(f"{self.query(number)}: {words(answer)}{self._about(answer)}"))

    def query(self, number: str) -> str:
        return " ".join(self.backings[number].use.body.split())

    def statement(self, number: str) -> str:
        """The mark of a statement, which opens its verdict and a link to its rows."""
        judged = self.backings[number].judged
        assert judged
        about = escape(f"{judged.text}: {judged.truth.value}. {judged.shows}{self._about(judged)}")
        about += f'; <a href="#evidence:{number}">size by size</a>'
        return f"<sup>{_button(number, number, about)}</sup>"

    def _about(self, answer: Value | StatementResult) -> str:
        n = answer.n if isinstance(answer, StatementResult) else answer.estimate.n
        parts = (("n =", n), ("records", sets_of(answer.keys, self.sets)), ("from", answer.source))
        return "".join(f"; {name} {part}" for name, part in parts if part)

    def place(self, sort: str, name: list[Node]) -> str:
        label = f"{sort}:{source_of(name)}"
        return f'<a href="#{escape(label)}">{sort.capitalize()}{SPACE}{self.places[label]}</a>'

    def citation(self, keys: list[Node]) -> str:
        sources = [f"source:{key.strip()}" for key in source_of(keys).split(",")]
        links = (f'<a href="#{escape(source)}">{self.places[source]}</a>' for source in sources)
        return f"[{', '.join(links)}]"


def _letters(typed: str) -> str:
    return escape(typed.replace("'", "\u2019"), quote=False)


def _address(typed: list[Node]) -> str:
    """A link to a web address; any other address as text."""
    address = escape(source_of(typed).replace(r"\%", "%"))
    text = f"<code>{address}</code>"
    return f'<a href="{address}">{text}</a>' if re.match(r"https?://", address) else text


# The other commands: functions of the Inline and the arguments.
WRITERS: dict[str, Callable[..., str]] = {
    "labclaim": lambda inline, number, content: inline.claim(source_of(number), inline.write(content)),
    "labshows": lambda inline, number: inline.statement(source_of(number)),
    "labgiven": lambda inline, content: f'{inline.write(content)}<sup title="not from these data">*</sup>',
    "labinterval": lambda inline, content: f'<span class="interval">[{inline.write(content)}]</span>',
    **dict.fromkeys(("labhead", "lablines"), lambda inline, *lines: "<br>".join(map(inline.write, lines))),
    "figureof": lambda inline, name: inline.place("figure", name),
    "tableof": lambda inline, name: inline.place("table", name),
    "cite": Inline.citation,
    "url": lambda _, typed: _address(typed),
    "hypertarget": lambda inline, name, content: f'<span id="{escape(source_of(name))}">{inline.write(content)}</span>',
    **dict.fromkeys(("num", "labnum"), lambda _, typed: number(source_of(typed))),
    "unit": lambda _, unit: plain_unit(source_of(unit)),
    **dict.fromkeys(("qty", "SI"), lambda _, typed, unit: quantity(source_of(typed), source_of(unit))),
}
