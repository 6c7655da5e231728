"""Text into LaTeX: escape all text that is not marked as LaTeX, and refuse letters that the fonts lack."""

from __future__ import annotations

import re

from lab.report.errors import ReportError

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    '"': r"\textquotedbl{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "-": "-{}",  # no ligature of two hyphens
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{MINUS SIGN}": r"\textminus{}",
}
# The letters that pdfLaTeX prints with Latin Modern in T1 and TS1 (t1enc.dfu, ts1enc.dfu): Europe's Latin alphabets.
PRINTED = re.compile(
    "[\n\t -~\u00a0-\u00ac\u00ae-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e\u0218-\u021b"
    "\u2013\u2014\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2116\u2122\u2212]*"
)
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")  # within a word; any other may be a piece of code
LONGEST = 10_000


class Markup(str):
    """LaTeX that the lab itself wrote. Any method of str gives a plain string back, which is escaped again."""

    __slots__ = ()


def escape(value: object) -> Markup:
    """The value as LaTeX that prints it and does nothing else."""
    if isinstance(value, Markup):
        return value
    text = str(value)
    require_printable(text)
    typeset = _APOSTROPHE.sub("\N{RIGHT SINGLE QUOTATION MARK}", text)
    return Markup("".join(SPECIAL.get(character, character) for character in typeset))


def require_printable(text: str, file: str = "", line: int | None = None) -> None:
    """Refuse letters without a glyph in the fonts, and a text that is too long."""
    if len(text) > LONGEST:
        raise ReportError(f"a text of {len(text)} characters, at most {LONGEST} are printed", file=file, line=line)
    good = PRINTED.match(text)
    assert good is not None
    if good.end() < len(text):
        bad = text[good.end()]
        within = line + text.count("\n", 0, good.end()) if line else line
        raise ReportError(f"the report's font has no character U+{ord(bad):04X}", file=file, line=within)
