"""CSV files that people keep: read by the names of their columns, with the line of each mistake."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from lab.errors import SpecError
from lab.files.typed_text import MOST_BYTES, read_bounded

Line = dict[str, str]  # by column; what is missing is empty


def read_lines(file: Path, wanted: tuple[str, ...], known: tuple[str, ...]) -> Iterator[tuple[int, Line]]:
    """Each row with its line. Spreadsheets write a mark before the first column, and semicolons in some countries."""
    text = _text(file)
    head = text.partition("\n")[0]
    mark = ";" if head.count(";") > head.count(",") else ","
    rows = csv.DictReader(io.StringIO(text), delimiter=mark)
    columns = [(name or "").strip().lower() for name in rows.fieldnames or ()]
    _require(columns, wanted, known, file)
    rows.fieldnames = columns
    for row in rows:
        if None in row or len(row) > len(columns):
            raise SpecError("this line has more cells than the first", file=file, line=rows.line_num)
        yield rows.line_num, {name: (row.get(name) or "").strip() for name in known}


def _text(file: Path) -> str:
    """As a spreadsheet saves it: with a byte order mark or without."""
    try:
        return read_bounded(file, MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError("is no UTF-8 text", file=file, hint="save it as CSV UTF-8") from error


def _require(columns: list[str], wanted: tuple[str, ...], known: tuple[str, ...], file: Path) -> None:
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise SpecError(f"there is no column {missing[0]}", file=file, line=1, expected=",".join(known))
    twice = next((name for name in known if columns.count(name) > 1), None)
    if twice:
        raise SpecError(f"the column {twice} is there twice", file=file, line=1)


def whole_number(text: str, what: str, file: Path, line: int) -> int:
    """A number of a cell; an empty one is 0."""
    try:
        return int(text or 0)
    except ValueError:
        raise SpecError(f"{what} is {text!r:.40}", file=file, line=line, expected="a whole number") from None
