"""LaTeX as a reader sees it: plain words, each with its place in the source, and a mark for every claim."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lab.errors import SizeError
from lab.model.sizes import parse_size
from lab.report.check.speaker import CITED
from lab.report.prose.uses import CLAIM, COMMENT
from lab.report.tex.units import in_words, plain_unit

BREAK = "\u2029"  # ends a sentence: a paragraph, a heading, an item, a cell
FIRST_MARK = 0xE000  # of claims: private characters, which no text may hold
MARK = "[\ue000-\uf8ff]"
_WORDS = {
    **{"times": "×", "cdot": "×", "approx": "about ", "le": "<=", "leq": "<=", "ge": ">=", "geq": ">=", "ldots": "..."},
    **{"mu": "µ", "textmu": "µ", "dots": "...", "pm": "±", "quad": " ", "qquad": " ", "LaTeX": "LaTeX", "TeX": "TeX"},
    **{"textless": "<", "textgreater": ">", "textbar": "|", "textbackslash": " ", "ss": "ß", "ae": "ae", "oe": "oe"},
}
_SILENT = frozenset({"cite", "url", "figureof", "tableof", "draft", "includegraphics"})  # and what they name
_BREAKING = frozenset({"par", "item", "section", "subsection", "subsubsection", "paragraph", "bigskip", "medskip"})
_TOKEN = re.compile(
    rf"{CLAIM.pattern}"
    r"|(?P<unit>\\(?:SI|qty)\s*(?:\[[^\]]*\])?\{(?P<value>[^{}]*)\}\{(?P<of>[^{}]*)\})"
    r"|(?P<own>\\ownfigure\s*\{[^{}]*\}\s*\{[^{}]*\}\s*\{[^{}]*\})"
    r"|\\size\{(?P<size>[^{}]*)\}|\\frac\s*\{(?P<over>[^{}]*)\}\s*\{(?P<under>[^{}]*)\}"
    r"|\\(?P<edge>begin|end)\s*\{(?P<env>[^{}]*)\}(?:\[[^\]]*\])?(?:(?<=tabular\})\{[^{}]*\})?"
    r"|\\(?P<command>[A-Za-z]+)\*?(?:\[[^\]]*\])?(?P<gap>\s*)|\\(?P<sign>.)|(?P<blank>\n[ \t]*\n\s*)|(?P<other>.)",
    re.DOTALL,
)
_POWER = re.compile(r"(\d+)\^(\d+)")
_SCALED = re.compile(r"(\d(?:[\d.]*\d)?)\s*×\s*10\^(-?\d+)")


@dataclass
class Plain:
    """Words, the place of each of their letters in the source, and the claims by their marks."""

    text: str = ""
    places: list[int] = field(default_factory=list)
    claims: dict[str, re.Match[str]] = field(default_factory=dict)

    def add(self, words: str, place: int) -> None:
        self.text += words
        self.places += [place] * len(words)

    def part(self, start: int, end: int) -> Plain:
        text = self.text[start:end]
        return Plain(text, self.places[start:end], {mark: found for mark, found in self.claims.items() if mark in text})


def without_comments(source: str) -> str:
    """The source with blanks in place of comments, so that every place stays."""
    return COMMENT.sub(lambda found: " " * len(found[0]), source)


def read(source: str) -> Plain:
    """The plain words of a source without comments."""
    plain = Plain()
    silent = 0
    for found in _TOKEN.finditer(source):
        if found.start() < silent:
            continue
        words = _words(found, plain)
        if words is None:  # a command whose argument is a name and no text
            cited = f" {CITED} " if found["command"] == "cite" else " "
            words, silent = cited, _end_of_argument(source, found.end())
        plain.add(words, found.start())
    return plain


def _words(found: re.Match[str], plain: Plain) -> str | None:
    if found["name"] is not None:
        mark = chr(FIRST_MARK + len(plain.claims))
        plain.claims[mark] = found
        return mark
    if found["unit"]:
        return f"{found['value']} {plain_unit(found['of'])}"
    if found["size"] is not None:
        return size_words(found["size"])
    if found["over"] is not None:
        return f"{found['over']}/{found['under']}"
    if found["own"] or found["edge"] or found["blank"]:
        return BREAK
    if found["command"]:
        return _command(found["command"], found["gap"])
    if (sign := found["sign"]) is not None:
        return {"\\": BREAK, ",": "\u2009", " ": " ", "/": "", "-": "", ":": " ", ";": " ", "!": ""}.get(sign, sign)
    return {"{": "", "}": "", "$": "", "~": " ", "&": BREAK, "\n": " "}.get(found["other"], found["other"])


def _command(name: str, gap: str) -> str | None:
    if name in _SILENT:
        return None
    if name in _BREAKING:
        return BREAK
    return _WORDS.get(name, "") + (" " if gap and name in _WORDS else "")


def _end_of_argument(source: str, start: int) -> int:
    named = re.compile(r"\{[^{}]*\}").match(source, start)
    return named.end() if named else start


def line_and_column(text: str, place: int) -> tuple[int, int]:
    """Where an editor shows it, both from 1."""
    return text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)


def size_words(typed: str) -> str:
    """64K as 64 KiB; what is no size stays as it is, to be refused."""
    try:
        return in_words(parse_size(typed.strip()))
    except SizeError:
        return typed


def split(plain: Plain) -> Iterator[Plain]:
    """The sentences, in their order."""
    start = 0
    for end in _ENDS.finditer(plain.text):
        yield from _if_any(plain.part(start, end.end()))
        start = end.end()
    yield from _if_any(plain.part(start, len(plain.text)))


_ENDS = re.compile(
    rf"{BREAK}|(?<!e\.g)(?<!i\.e)(?<!\bvs)(?<!\bcf)(?<!\bresp)(?<!\bal)(?<!\bca)(?<!\bapprox)(?<!\.\.)"
    r"[.!?](?=[\s\"')]|\Z)"
)


def _if_any(part: Plain) -> Iterator[Plain]:
    if part.text.strip(f" {BREAK}.\n"):
        yield part


def numerals(words: str) -> str:
    """Powers and thin spaces written out: 4.1 x 10^9 as 4100000000, of the same length or not."""
    words = re.sub(r"(?<=\d)[\u2009\u00a0](?=\d{3})", "", words).replace("\u2009", " ")
    words = _SCALED.sub(lambda found: f"{float(found[1]) * 10.0 ** min(int(found[2]), 18):.10g}", words)
    return _POWER.sub(lambda found: str(int(found[1]) ** min(int(found[2]), 62)), words)
