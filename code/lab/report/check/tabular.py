"""A text's own tables: each cell is a statement about its row and its column."""

from __future__ import annotations

import re
from collections.abc import Callable

from lab.report.check.latex import read

_TABLE = re.compile(r"\\begin\s*\{tabular\}\s*\{[^{}]*\}(.*?)\\end\s*\{tabular\}", re.DOTALL)
_RULES = re.compile(r"\\(?:toprule|midrule|bottomrule|hline)")


def heads(source: str) -> Callable[[int], str]:
    """The words that a cell at this place adds: the first cell of its row, and the first of its column."""
    found: list[tuple[int, int, str]] = []
    for table in _TABLE.finditer(source):
        found += _cells(source, table.start(1), table.end(1))

    def of(place: int) -> str:
        return next((words for start, end, words in found if start <= place < end), "")

    return of


def _cells(source: str, start: int, end: int) -> list[tuple[int, int, str]]:
    rows, place = [], start
    for row in re.split(r"(\\\\)", source[start:end]):
        rows.append((place, row))
        place += len(row)
    bare = [(at, row) for at, row in rows if row != "\\\\" and _plain(row)]
    top = [_plain(cell) for cell in _columns(bare[0][1])] if bare and "\\claim" not in bare[0][1] else []
    cells = []
    for at, row in bare[1 if top else 0 :]:
        columns = _columns(row)
        here = at
        for number, cell in enumerate(columns):
            over = top[number] if number < len(top) else ""
            left = _plain(columns[0]) if number else ""
            cells.append((here, here + len(cell), f"{left} {over} ".strip() + " " if left or over else ""))
            here += len(cell) + 1
    return cells


def _columns(row: str) -> list[str]:
    return re.split(r"(?<!\\)&", row)


def _plain(cell: str) -> str:
    return read(_RULES.sub("", cell)).text.strip(" \n\u2029")
