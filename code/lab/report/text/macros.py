r"""The evidence macros, \claim{QUERY}, \shows{STATEMENT} and \given{NUMBER}, and the sentences around them."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from lab.report.errors import FaultKind, TextFault
from lab.report.text.latex import blank, fault, line_and_column, without_comments

FORMS = {"claim": r"\claim{QUERY}, or \claim[3]{QUERY}", "shows": r"\shows{STATEMENT}", "given": r"\given{NUMBER}"}
_MACRO = re.compile(  # up to 17 digits, which a double has
    r"\\(?P<kind>claim|shows|given)(?![A-Za-z])(?:(?:(?<=claim)\[(?P<digits>1[0-7]|[1-9])\])?"
    r"\s*\{\s*(?P<body>(?:\\.|[^{}\\\s])(?:\\.|(?!\n\s*\n)[^{}\\])*)\})?"
)
_ESCAPED = re.compile(r"\\([%_])|\s*\n\s*")
CITED = re.compile(r"\\cite\s*\{([^{}]*)\}")
NAME = r"\{(?:\\.|[^{}\\])*\}"
OPTION = r"\s*(?:\[[^\[\]{}]*\]\s*)?"
# Names in commands, which are not words of the text.
NAMES = re.compile(
    rf"\\(?:claim|shows|given|cite|url|figureof|tableof|size|begin|end){OPTION}{NAME}(?:(?<=\{{tabular\}}){NAME})?"
)
_WORD = re.compile(r"(?<!\\)\b[^\W\d_]{2,}\b")
# Macros that contain no end of a sentence, and their fillers in the search for ends.
_CLOSED = re.compile(
    rf"\\(?:(?P<shows>shows)|(?P<cite>cite)|claim|given|url|figureof|tableof|size|texttt){OPTION}{NAME}"
)
_SHOWS, _CITE, _OTHER = "\x01\x02\x03"
_ABBREVIATIONS = (r"e\.g", r"i\.e", "vs", "cf", "Fig", "Figs", "Sec", "Eq", "Tab", "No", "resp", "approx", "al", "ca")
_NOT_SHORT = "".join(rf"(?<!\b{word})" for word in _ABBREVIATIONS)
# A heading with evidence is a sentence.
_BREAK = (
    r"\n\s*\n|\\\\|\\(?:item|par)\b|\\(?:sub)*(?:section|paragraph)(?:\{[^{}\x01-\x03]*\})?"
    r"|\\(?:begin|end)(?:\{[^{}\x01-\x03]*\})*"
)
_END = re.compile(
    rf"(?P<break>{_BREAK})|{_NOT_SHORT}(?:(?<!\.)\.(?!\.)|[!?]+)['\")\]}}$]*"
    rf"(?:{_CITE}++|[ \t]*(?:\n[ \t]*)?{_SHOWS}++)*+(?=\s|\Z|\\\\)"
)


@dataclass(frozen=True)
class Use:
    r"""A macro; its body is without the backslash of \% and \_, and on a single line."""

    kind: str  # claim, shows or given
    body: str
    digits: int | None
    start: int
    end: int
    body_start: int


@dataclass(frozen=True)
class Sentence:
    """A sentence on a single line, its range in the text, and the macros in it or directly behind it."""

    text: str
    start: int
    end: int
    line: int
    evidence: tuple[Use, ...]


def macros_of(text: str) -> list[Use]:
    """All complete macros outside comments."""
    macros = [macro for macro in _MACRO.finditer(without_comments(text)) if macro["body"]]
    bodies = [_ESCAPED.sub(lambda escaped: escaped[1] or " ", macro["body"]) for macro in macros]
    return [
        Use(macro["kind"], body, int(macro["digits"] or 0) or None, *macro.span(), macro.start("body"))
        for macro, body in zip(macros, bodies, strict=True)
    ]


def malformed(text: str, file: str) -> Iterator[TextFault]:
    """Every macro without a body, with braces in its body, or with a wrong option."""
    for macro in _MACRO.finditer(without_comments(text)):
        if not macro["body"]:
            what = rf"\{macro['kind']} is not complete (text in braces, without braces in it)"
            yield fault(text, file, macro.start(), FaultKind.LATEX, what, FORMS[macro["kind"]])


def keys_cited(text: str) -> list[str]:
    """The keys of the cited sources, in the order of the text, without repetitions."""
    keys = (key.strip() for cited in CITED.finditer(without_comments(text)) for key in cited[1].split(","))
    return list(dict.fromkeys(keys))


def length_of(text: str) -> tuple[int, int]:
    """The number of printed words, and of distinct claims and statements."""
    evidence = {(use.kind, " ".join(use.body.split())) for use in macros_of(text) if use.kind != "given"}
    return len(_WORD.findall(blank(without_comments(text), NAMES))), len(evidence)


def sentences(text: str) -> Iterator[Sentence]:
    r"""The sentences of a text; a \shows behind the full stop belongs to the sentence before it."""
    bare, evidence, start = without_comments(text), macros_of(text), 0
    starts = [use.start for use in evidence]
    fillers = {"shows": _SHOWS, "cite": _CITE, None: _OTHER}
    closed = _CLOSED.sub(lambda macro: fillers[macro.lastgroup] * len(macro[0]), bare)
    for match in [*_END.finditer(closed), None]:
        end = len(bare) if match is None else match.start() if match["break"] else match.end()
        typed, inside = bare[start:end], evidence[bisect_left(starts, start) : bisect_left(starts, end)]
        if inside or _WORD.search(blank(typed, NAMES)):
            first, last = start + len(typed) - len(typed.lstrip()), start + len(typed.rstrip())
            line, _ = line_and_column(text, first)
            yield Sentence(" ".join(typed.split()), first, last, line, tuple(inside))
        start = match.end() if match else end
