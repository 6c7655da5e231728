"""Typed numbers: a number with a unit of something measured is computed from the data or is a constant of the plan.

The rule is lexical; bare numbers and sizes are free. A factor in words ("almost five times") is a typed number beside
evidence, which must show it, and free elsewhere.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from math import inf

from lab.report.errors import FaultKind, TextFault
from lab.report.tex.numbers import plain_unit
from lab.report.text.latex import fault, without_comments
from lab.report.text.macros import NAME, OPTION

# A number that the plan chose, and its dimension: rate (B/s), messages (1/s), time (s), percent, factor, instructions,
# frequency (Hz). 95 % is 95, and 32 Gbit/s is 4e9.
Constant = tuple[float, str]
_Read = tuple[tuple[tuple[float, float], ...], str]  # numbers, and their dimension
EXACTLY = (0.0, 0.0)  # a number without a hedge: only rounded


@dataclass(frozen=True)
class TypedNumber:
    """A typed number, or both ends of a typed range."""

    numbers: tuple[tuple[float, float], ...]  # each value, in a dimension's unit, and that of a step of its last digit
    dimension: str
    is_in_bits: bool
    is_change: bool  # `55 % slower`: the ratio is 1.55 or 0.45; `3 us slower`: a difference
    hedge: tuple[float, float]  # how far below and above it the words before it allow, over the number
    start: int  # in the text
    end: int
    is_in_words: bool = False
    is_share: bool = False  # of something

    def is_one_of(self, values: Collection[float]) -> bool:
        """Whether each typed number is one of the values, rounded to the typed digits or as near as its hedge says, or
        all of the values are on the side that `at least` or the like allows."""
        are_in = all if inf in self.hedge else any
        ends = [self._ends(*part) for part in self.numbers]
        return bool(values) and all(are_in(low <= value <= high for value in values) for low, high in ends)

    def _ends(self, number: float, step: float) -> tuple[float, float]:
        half = 0.5 * step * (1 + 1e-9)
        below, above = (max(part * number, half) if part or self.hedge == EXACTLY else 0.0 for part in self.hedge)
        return number - below, number + above


_TOKEN = re.compile(
    rf"(?P<exempt>\\(?:claim|shows|given|size|cite|url|figureof|tableof|ref|texttt|begin|end){OPTION}{NAME}"
    rf"|&|\\\\|\\(?:item|par)\b)"
    rf"|\\(?:SI|qty|num|unit){OPTION}"
    r"\{(?P<value>[^{}]*)\}(?:\{(?P<unit>[^{}]*)\})?"
    r"|(?P<gap>(?:\s|~|\\[ ,:;])+)|\\(?P<command>[A-Za-z]+)\s*|\\(?P<sign>.)|(?P<comma>\{,\})|(?P<brace>[{}$])"
    r"|(?P<words>[^\\{}$&~\s]+|.)",
    re.DOTALL,
)
_COMMANDS = {"times": "×", "cdot": "×", "mu": "µ", "textmu": "µ", "pm": "±", "quad": " "}
_EXEMPT = "\0"  # replaces unread text, and separates a number from a unit

_WORDS = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_DECIMAL = {"k": 1e3, "K": 1e3, "kilo": 1e3, "M": 1e6, "mega": 1e6, "G": 1e9, "giga": 1e9, "T": 1e12, "tera": 1e12}
_BINARY = {"Ki": 2.0**10, "kibi": 2.0**10, "Mi": 2.0**20, "mebi": 2.0**20, "Gi": 2.0**30, "gibi": 2.0**30}
_PREFIXES = _DECIMAL | _BINARY
_FRACTIONS = {"n": 1e-9, "nano": 1e-9, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "micro": 1e-6, "m": 1e-3, "milli": 1e-3}
_PREFIX, _FRACTION = ("|".join(sorted(names, reverse=True)) for names in (_PREFIXES, _FRACTIONS))
_SECOND = r"[ -]?(?:seconds?|secs?|(?<!\d)s|(?<=\d)(?<!(?:19|20)\d\d)s(?! of ))\b"  # no "1990s", no "10s of"
_PER = rf"(?:ps\b|(?: ?/ ?| per )(?P<per>{_FRACTION})?{_SECOND}| (?:an?|each|every) second\b(?! (?:time|later|run)))"
_COUNTED = r"messages?|msgs?|packets?|requests?|operations?|ops|writes?|sends?|rounds?|transfers?|completions?|calls?"
_DATA = rf"(?P<bytes>[Bb]ytes?|B)|(?P<bits>[Bb]its?|b)|(?P<messages>{_COUNTED}|(?<=ion))"  # 4 million per second
_UNITS = (
    rf"(?P<prefix>{_PREFIX})?[ -]?(?:{_DATA}){_PER}",
    rf"(?P<time>{_FRACTION}|){_SECOND}",
    r"(?P<percent>%|per ?cent\b|percentage points?\b)",
    r"(?P<times>times\b(?! ?\d| out))",  # not 2 times 64 KiB
    r"(?P<factor>(?<=\d)x(?!\w| ?(?:[SDQFEHN]DR|PCIe|InfiniBand|lanes?)\b)|×(?! ?(?:[\d(A-Z]|[a-z]\b))|fold\b)",
    r"(?P<instructions>(?:CPU )?instructions?\b)",
    r"(?P<frequency>[kMG]|kilo|mega|giga|)[Hh](?:z|ertz)\b",
)
_NUMBER = r"(?:\d+(?:[,']\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)(?: ?× ?10\^[-+\u2212]?\d{1,2}|[eE][-+]?\d{1,2})?"
_RANGE = rf"(?:between (?P<least>{_NUMBER}) and |(?P<low>{_NUMBER})(?:-? to | ?(?:-{{1,3}}|[–—±]|\+-) ?))?"
_ABOUT = "(?:about|almost|approximately|around|at least|at most|less than|more than|nearly|only|over|roughly)"
_TYPED = re.compile(
    rf"(?P<phrase>\bfactors?(?: of)?(?: {_ABOUT})? )?(?<![\w.])(?<!\d[,'])(?!802\.\d){_RANGE}(?P<number>{_NUMBER})"
    rf"(?(phrase)|[ -]?(?:(?P<scale>{'|'.join(_WORDS)})[ -]?)?(?:{'|'.join(_UNITS)}))"
)
# "6 times" is a factor beside these words, and counts repetitions elsewhere.
_ADJECTIVE = "(?:fast|slow|high|low|larg|small|long|short|great|bett|quick)er"
_COMPARED = re.compile(rf" (?:as|more|less|than|that|the(?! same)|{_ADJECTIVE})\b")
# Factors in words, and the share of a factor that a value may lack or exceed.
_FACTORS = {
    **{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10},
    **{"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17},
    **{"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60},
    **{"seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "dozen": 12},
}
_VERBS = {"twice": 2.0, "doubl": 2.0, "tripl": 3.0, "quadrupl": 4.0, "halv": 0.5}
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
# Number words before a rate or another unit.
_CARDINAL = rf"(?:{'|'.join(sorted(_FACTORS | _WORDS, reverse=True))}|(?:{'|'.join(_PARTS)})s?)"
_IN_LETTERS = re.compile(
    rf"(?<![\w.])(?<!\d[ -])(?i:(?P<letters>{_CARDINAL}(?:[ -](?:and[ -]|of )?(?:an? )?{_CARDINAL}){{0,9}})"
    rf"(?: of)?(?: an?)?|(?P<phrase>{_ABOUT} )an?)[ -]"
    rf"(?:{_UNITS[0]}|(?!us\b)(?P<time>{_FRACTION}){_SECOND}|(?P<instructions>instructions\b)|(?P<frequency>[kMG])Hz\b)"
)
# Roman numerals of two letters or more and hexadecimal numbers before a rate, which no evidence shows.
_NUMERAL = re.compile(
    r"(?<![\w.])(?<!\d[ -])(?i:0x[\da-f]+|(?!mix\b)(?=[mdclxvi]{2})m{0,4}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})"
    rf"(?:ix|iv|v?i{{0,3}}))[ -]{_UNITS[0]}"
)
_COUNT = "|".join(sorted(_FACTORS, reverse=True))
_WORDY, _MAGNITUDE = 0.1, 0.3
# What a share or a multiple is one of, other than a count such as "half of the messages".
_QUANTITY = (
    r"bandwidth|capacity|cost|goodput|instructions|latency|limit|link|peak|performance|rate|speed|throughput|time|value"
    r"|\w+ (?:a|each|per) second"
)
_SHARE = (
    rf" (?:as|that|less|more|fewer|than|{_ADJECTIVE})\b|(?: of)?(?: (?:it|that|those|what)\b| ?{_EXEMPT}"
    r"|(?: (?:an?|its|our|the|their))?(?: \d+ [kMGT]?\w+/s)?(?: (?:cards?|(?-i:[\w-]*[A-Z]{2,}))\b(?! \w{3,}s\b)"
    rf"|(?: (?!an? |round|the )(?:[\w-]*[^\Ws]|[\w-]+'s)){{0,2}} (?:{_QUANTITY})\b))"
)
_CHOSEN = r"(?:buffer|delay|depth|length|number|queue|size|window)s?"
_FREE = re.compile(  # before a factor that is not measured
    r"(?i)(?<!\bas )(?:\b(?:I|we|one|models?|theory) (?:would )?(?:assume|expect|guess|predict)\w*|\bwould)"
    r"(?: \w+){0,3} \Z"
    rf"|\b(?:an?|each|message|the) {_CHOSEN}(?: (?:is|are|was))? \Z"
)
_FACTOR = re.compile(
    rf"\b(?i:(?P<phrase>factors? of (?:{_ABOUT} )?)(?P<by>{_COUNT})"
    rf"|(?:(?P<low>{_COUNT}) (?:to|or) )?(?P<many>{_COUNT})(?P<half> and a half)? (?P<times>times)"
    rf"|(?P<fold>{_COUNT})[ -]?fold"
    rf"|(?P<verb>twice(?={_SHARE})|(?:doubl|tripl|quadrupl|halv)(?:es|ed|e(?= (?:its|the|their) (?:{_QUANTITY})\b))"
    rf"(?! (?:with|each|every|per|whenever|the (?:\w+ )?{_CHOSEN})\b))"
    r"|(?P<magnitude>an|one|two|three) orders? of magnitude"
    rf"|(?:(?P<numerator>an?|one|two|three|four)[ -])?(?P<part>{'|'.join(_PARTS)})s?"
    rf"(?!(?: of)? an? (?:[mb]illion|[kKMG]i?B\b|\w+byte|\w+second))(?=(?P<share>{_SHARE})?)"
    r")\b"
)
_ORDINAL = re.compile(r"\b(?:and an?|first|second|other|one|within) \Z")  # the first half, within a tenth
_NOT = r"(?i:no|not|n't|never|none|neither|nothing|nowhere)\b[^.,;:\0]*"
# Words before a number, and how far below and above it a value may be.
_HEDGES = {
    re.compile(rf"(?:\b(?:{words})|{signs}) ?(?:an? |the )?(?:factors?(?: of)? )?\Z"): span
    for words, signs, span in (
        (
            rf"at most|(?:less|fewer) than|under|below|within|{_NOT} (?:more than|over|above|exceed|reach)",
            "[<]",
            (inf, 0.0),
        ),
        ("at least|more than|over|above|exceed(?:s|ed|ing)?", "[>]", (0.0, inf)),
        ("up to", "[≤]", (0.25, 0.0)),
        ("nearly|almost|not quite|close to", "[<]", (0.1, 1e-9)),
        ("about|approximately|around|roughly|some|circa", "[~≈]", (0.05, 0.05)),
    )
}
_CHANGED = re.compile(
    r" (?:too )?(?:apart|more|less|fewer|above|below|(?:fast|slow|high|low|larg|small|long|short|great|bett)\w*er)\b"
)
_CHANGES = re.compile(
    r"\b(?:(?:cost|decreas|differ|drop|f[ae]ll|gain|gr[eo]w|improve|increas|loss|lose|lost|rais|reduc|rise|save|saving"
    r"|shrink)\w*\b(?![^.;:\0]*\bto\b)|(?:overhead|penalty)\b)[^.;:\0]*\Z|\bwithin \Z|\bby (?:\w+ ){0,2}\Z"
)
_ADDED = re.compile(
    r"\b(?:adds?|added|saves?|differs? by|(?:overhead|penalty|gap|difference)\b[^.;:\0]* (?:of|is))(?: \w+){0,2} \Z"
)
_SCALED = re.compile(
    r"\b(?:by|is|are|was|were) (?:about |nearly |up to )?\Z|\b(?:advantage|beat|better|decreas|exceed|faster|gain|gap"
    r"|gr[eo]w|higher|improv|increas|larger|lower|outperform|ratio|reduc|rises|slower|smaller|speed|wins)\w*[^.;:\0]*\Z"
)
# Behind a factor or a share that does not compare two series.
_ELSE = re.compile(
    r" (?:as \w+(?: \w+)? as|more than|less than) (?:\w+ )?"
    r"(?:expect|necessary|need|plan|possibl|require|usual|want)\w*\b"
)
_AGAIN = re.compile(r" as \w+ again\b")  # half as long again
_SPENT = re.compile(
    r"[^.,;:\0]* (?:(?:is|are|remains?|stays?|was|were) (?:due|idle|lost|spent|unused|used|wasted)"
    r"|(?:come|goe|stem)s? (?:from|in))\b"
)
_DONE = re.compile(r"\b(?:(?:measured|repeated|ran|run|executed|sent|done|only|all) (?:\w+ ){0,3}|(?:\d+|out) of )\Z")


def typed_numbers(
    text: str,
    file: str,
    constants: Collection[Constant],
    suggest: Callable[[TypedNumber], str | None],
    is_shown: Callable[[TypedNumber], bool] = lambda typed: typed.is_in_words,
) -> Iterator[TextFault]:
    r"""Every measured number typed outside \claim, \shows and \given; `suggest` names a query unless it is cited."""
    plain, offsets = _plain(without_comments(text))
    readers: dict[re.Pattern[str], Callable[..., _Read | None]]
    readers = {_TYPED: _in_digits, _FACTOR: _in_words, _IN_LETTERS: _in_letters}
    for match in chain.from_iterable(form.finditer(plain) for form in readers):
        before, far = (plain[max(0, match.start() - letters) : match.start()] for letters in (40, 80))
        is_change = bool(_CHANGED.match(plain, match.end()) or _CHANGES.search(before))
        read = readers[match.re](match, before, is_change=is_change)
        if not read or (match.groupdict().get("times") and _is_repetition(plain, match)):
            continue
        numbers, dimension = read
        if dimension != "percent":
            is_added = dimension in ("time", "rate") and _ADDED.search(before)
            is_change = bool(is_added or _CHANGED.match(plain, match.end()))
        in_words, in_bits = match.re is _FACTOR, bool(match.groupdict().get("bits"))
        place = offsets[match.start()], offsets[match.end() - 1] + 1
        is_share = plain.startswith(" of ", match.end())
        exact = TypedNumber(numbers, dimension, in_bits, is_change, EXACTLY, *place, in_words, is_share)
        hedged = far + (match["phrase"] or "")
        below, above = next((span for pattern, span in _HEDGES.items() if pattern.search(hedged)), EXACTLY)
        typed = replace(exact, hedge=(2 * below, 2 * above) if in_words else (below, above))
        known = [value for value, kind in constants if kind == dimension]
        may_be_known = not in_words and (not is_change or before.endswith("within "))  # rounds agree within 1 %
        is_known = may_be_known and exact.is_one_of(known)
        if not is_known and not is_shown(typed):
            queries = [suggest(replace(typed, numbers=(part,))) for part in numbers]
            yield _fault(text, file, typed.start, match[0].strip(), queries)
    yield from (_fault(text, file, offsets[match.start()], match[0], [""]) for match in _NUMERAL.finditer(plain))


def _in_letters(match: re.Match[str], _: str, *, is_change: bool) -> _Read:  # noqa: ARG001
    """The same of a number in words before a unit: "half a million messages per second"."""
    (dimension, scale), value = _unit(match), 0.0
    for is_added, word in re.findall("(and )?(?:an? )?([a-z]+)", (match["letters"] or "").lower().replace("-", " ")):
        number = _FACTORS.get(word.removesuffix("s")) or _WORDS.get(word) or 1 / _PARTS.get(word.removesuffix("s"), 1)
        value = value + number if is_added or 1 <= number < 100 else (value or 1) * number
    return (((value or 1) * scale, 2 * (value or 1) * scale * _WORDY),), dimension


def _in_digits(match: re.Match[str], _: str, *, is_change: bool) -> _Read:  # noqa: ARG001
    """The numbers that a match has, each with a step of its last digit, and their dimension."""
    dimension, scale = _unit(match)
    values = (_value(match[name]) for name in ("least", "low", "number") if match[name])
    return tuple((value * scale, step * scale) for value, step in values), dimension


def _in_words(match: re.Match[str], before: str, *, is_change: bool) -> _Read | None:
    """The same of a factor in words: of "drops by a third" a percentage."""
    rest = match.string, match.end()
    if _FREE.search(before) or _ELSE.match(*rest) or (match["part"] and _SPENT.match(*rest)):
        return None
    count = (match["by"] or match["many"] or match["fold"] or "").lower()
    if match["part"]:
        is_half = match["part"].lower() == "half"
        is_share = match["share"] or re.search(rf"\b(?:by|to|costs?|loses?)(?: {_ABOUT})? \Z", before)
        if not (is_share and (is_half or match["numerator"])) or _ORDINAL.search(before):
            return None
        value = _FACTORS.get((match["numerator"] or "").lower(), 1) / _PARTS[match["part"].lower()]
        if is_change:
            return ((100 * value, 200 * value * _WORDY),), "percent"
        value += bool(_AGAIN.match(*rest))
    elif match["verb"]:
        value = next(number for stem, number in _VERBS.items() if match["verb"].lower().startswith(stem))
    else:
        orders = _FACTORS.get(match["magnitude"].lower(), 1) if match["magnitude"] else 0
        value = 10.0**orders if orders else _FACTORS.get(count, 1) + (0.5 if match["half"] else 0.0)
    margin = _MAGNITUDE if match["magnitude"] else _WORDY
    values = [float(_FACTORS[match["low"].lower()]), value] if match["low"] else [value]
    return tuple((number, 2 * number * margin) for number in values), "factor"


def _fault(text: str, file: str, place: int, typed: str, queries: Collection[str | None]) -> TextFault:
    typed = typed.replace("μ", "µ")  # NFKC's letter is not in the report's font
    what = f"{typed} is typed (measured numbers are computed from the data)"
    escaped = typed.replace("%", r"\%")
    hint = rf"\given{{{escaped}}}"
    if None not in queries:
        claims = " to ".join(rf"\claim{{{query or 'QUERY'}}}" for query in queries)
        hint = rf"{claims}, or {hint} with \cite for a number from elsewhere"
    return fault(text, file, place, FaultKind.NUMBER, what, hint)


def _plain(bare: str) -> tuple[str, list[int]]:
    """The printed text, and the offset of every letter in the source."""
    words, offsets = [], list[int]()
    for token in _TOKEN.finditer(bare):
        word = _word(token)
        words.append(word)
        is_same = token["words"] and len(word) == len(token["words"])
        offsets += range(token.start(), token.end()) if is_same else [token.start()] * len(word)
    return "".join(words), offsets


def _plain_letters(word: str) -> str:
    """The word in letters of ASCII where NFKC has them, and with their digits for numbers of any script: 12 for ¹²."""
    letters = word if word.isascii() else unicodedata.normalize("NFKC", word)
    values = (None if letter.isascii() else unicodedata.numeric(letter, None) for letter in letters)
    return "".join(letter if value is None else str(int(value)) for letter, value in zip(letters, values, strict=True))


def _word(token: re.Match[str]) -> str:
    if token["words"] or token["brace"]:
        return _plain_letters(token["words"] or "")
    if token["exempt"] or token["gap"]:
        return _EXEMPT if token["exempt"] or token["gap"].count("\n") > 1 else " "
    if token["value"] is not None:
        return plain_unit(f"{token['value']} {token['unit'] or ''}").strip()
    if token["command"]:
        return _COMMANDS.get(token["command"], "")
    return "," if token["comma"] else token["sign"] if token["sign"] in "%#_" else ""


def _unit(match: re.Match[str]) -> tuple[str, float]:
    """The dimension of a typed number, and the scale of its unit."""
    groups = match.groupdict()
    scale = _WORDS.get(groups.get("scale") or "", 1.0) * _PREFIXES.get(match["prefix"] or "", 1.0)
    per = _FRACTIONS.get(match["per"] or "", 1.0)
    if match["bytes"] or match["bits"]:
        return "rate", scale / per / (8 if match["bits"] else 1)
    if match["messages"] is not None:
        return "messages", scale / per
    if match["time"] is not None:
        return "time", scale * _FRACTIONS.get(match["time"], 1.0)
    if match["frequency"] is not None:
        return "frequency", scale * _PREFIXES.get(match["frequency"], 1.0)
    return next((name for name in ("percent", "instructions") if groups.get(name)), "factor"), scale


def _value(typed: str) -> tuple[float, float]:
    """A typed number, and the value of a step of its last digit."""
    mantissa, _, exponent = re.sub(r" ?× ?10\^|E", "e", typed).replace("\u2212", "-").partition("e")
    grouped = re.fullmatch(r"\d+(?:[,']\d{3})+(?:\.\d+)?", mantissa)
    digits = re.sub("[,']", "", mantissa) if grouped else mantissa.replace(",", ".")
    power = 10.0 ** int(exponent or 0)
    return float(digits) * power, power * 10.0 ** -len(digits.partition(".")[2])


def _is_repetition(plain: str, match: re.Match[str]) -> bool:
    """Whether "6 times" counts repetitions."""
    in_words = match.re is _FACTOR
    if (not in_words and not match["number"].isdecimal()) or _COMPARED.match(plain, match.end()):
        return False
    before = plain[max(0, match.start() - 80) : match.start()]
    is_counted = _DONE.search(before) or plain.startswith((" each", " per ", " for each"), match.end())
    return bool(is_counted or not ((not in_words and match["least"]) or match["low"] or _SCALED.search(before)))
