"""The printed lines of the pages beside those of the pages that the data give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from lab.grade.case import Case
from lab.grade.finding import Finding, Flaw
from lab.grade.pdf_parts import read_lines

# A size first, then cells with gaps between: `64 KiB   254.1 [252.8, 254.3]   976.8`.
MORE_LINES = 1000  # than twice the report's: to compare more takes minutes
_ROW = re.compile(r"[\d.,]+ ?(?:B|[KMG]iB)\s{2,}\S+")


def differing_lines(case: Case) -> Iterator[Finding]:
    """Each run of lines that differs: the kind says whether it is a row of a table."""
    if case.is_as_rebuilt:
        return
    given, made = case.lines, read_lines(case.rebuilt)
    if len(given) > 2 * len(made) + MORE_LINES:
        yield Finding(Flaw.TEXT, f"the PDF prints {len(given)} lines, the data give {len(made)}")
        return
    for tag, *places in SequenceMatcher(None, given, made).get_opcodes():
        if tag != "equal":
            yield _finding(given[places[0] : places[1]], made[places[2] : places[3]])


def _finding(given: list[str], made: list[str]) -> Finding:
    is_row = any(_ROW.match(line) for line in (*given, *made))
    one, other = (" / ".join(lines)[:160] or "nothing" for lines in (given, made))
    return Finding(Flaw.TABLE_ROW if is_row else Flaw.TEXT, f"the PDF prints {one!r}, the data give {other!r}")
