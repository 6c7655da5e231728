"""The PDF is the one that the data give: as it is read, as it is seen, and in all that it holds."""

from __future__ import annotations

from collections.abc import Iterator

from lab.grade.case import Case
from lab.grade.finding import Finding, Flaw
from lab.grade.pdf_graph import BothGraphs
from lab.grade.pdf_objects import beside_objects, read_objects
from lab.grade.pdf_pixels import differing_pages
from lab.grade.printed import differing_lines

END = b"%%EOF"
MOST_BESIDE_BYTES = 1024  # more than the data give: objects may have other numbers, and be packed otherwise


def pages(case: Case) -> Iterator[Finding]:
    """Tables by their rows, everything by its place in the PDF, pages by their pixels."""
    if case.is_as_rebuilt:
        return
    given, made = case.submission.pdf, case.rebuilt_whole
    yield from (each for each in differing_lines(case) if each.kind is Flaw.TABLE_ROW)
    yield from _outside(given, made)
    yield from BothGraphs(read_objects(given), read_objects(made)).findings()
    yield from differing_pages(given, made)


def _outside(given: bytes, made: bytes) -> Iterator[Finding]:
    """Bytes before, between and behind: a PDF that was added to holds its older self, too."""
    behind = given[given.rfind(END) + len(END) :].strip()
    if not given.startswith(b"%PDF-") or behind:
        yield Finding(Flaw.TRAILING, f"{len(behind)} bytes stand behind the PDF's end, or some before its beginning")
    ends = [each.count(b"startxref") for each in (given, made)]
    if ends[0] > ends[1]:
        yield Finding(Flaw.TRAILING, f"the PDF was added to after it was made: {ends[0]} ends, the data give {ends[1]}")
    hidden = beside_objects(given) - beside_objects(made)
    if hidden > MOST_BESIDE_BYTES:
        yield Finding(Flaw.TRAILING, f"{hidden} bytes of the PDF belong to nothing that it refers to")
