"""The pages hold exactly the figures and tables that the data give."""

from __future__ import annotations

from collections.abc import Iterator

from lab.grade.case import Case
from lab.grade.finding import Finding, Flaw
from lab.grade.pdf_parts import read_parts
from lab.grade.printed import differing_lines

WORDS = {Flaw.FIGURE: "figures or parts of them", Flaw.STRUCTURE: "pages, fonts or other objects"}


def pages(case: Case) -> Iterator[Finding]:
    """Tables by their rows, figures by their objects."""
    if case.is_as_rebuilt:
        return
    yield from (each for each in differing_lines(case) if each.kind is Flaw.TABLE_ROW)
    given, made = read_parts(case.submission.pdf), read_parts(case.rebuilt)
    for kind, words in WORDS.items():
        strange, lost = given.by_kind[kind] - made.by_kind[kind], made.by_kind[kind] - given.by_kind[kind]
        if strange or lost:
            counts = f"{strange.total()} that the data don't give, {lost.total()} missing"
            yield Finding(kind, f"{words} are not those that the data give: {counts}")
