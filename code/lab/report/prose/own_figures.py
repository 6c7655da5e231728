"""A student's own figure, `\\ownfigure{FILE.csv}{X}{Y}{CAPTION}`, and the two columns of its file that it shows."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from lab.errors import SpecError
from lab.files.typed_text import read_bounded
from lab.report.errors import ReportError
from lab.report.prose.uses import COMMENT

MOST_FIGURES, MOST_ROWS, MOST_BYTES, LONGEST_CAPTION = 4, 2_000, 100_000, 600
PREFIX = "own-"
COMMAND = re.compile(r"\\ownfigure(?![A-Za-z])")
NAMED = re.compile(r"\\ownfigure\s*\{(?P<file>[^{}]*)\}\s*\{(?P<x>[^{}]*)\}\s*\{(?P<y>[^{}]*)\}\s*\{")
FORM = r"\ownfigure{FILE.csv}{COLUMN OF X}{COLUMN OF Y}{CAPTION}, on lines of its own"
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}\.csv", re.ASCII)
_COLUMN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _/().-]{0,39}", re.ASCII)


@dataclass(frozen=True)
class OwnFigure:
    """What the text asks for, and where."""

    file: str
    x: str
    y: str
    caption: str
    start: int
    end: int

    @property
    def name(self) -> str:
        """As `\\figureof` names it."""
        return f"{PREFIX}{self.file.removesuffix('.csv')}"


@dataclass(frozen=True)
class Points:
    """Two columns of a file, row by row."""

    file: str
    x_name: str
    y_name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


def own_figures(text: str) -> list[OwnFigure]:
    """All that are written as they must be, in the order of the text."""
    bare = COMMENT.sub(lambda found: " " * len(found[0]), text)
    return list(_found(bare))


def _found(bare: str) -> Iterator[OwnFigure]:
    for found in NAMED.finditer(bare):
        end = _closing(bare, found.end())
        if end is not None:
            file, x, y = (found[each].strip() for each in ("file", "x", "y"))
            yield OwnFigure(file, x, y, bare[found.end() : end].strip(), found.start(), end + 1)


def _closing(text: str, start: int) -> int | None:
    """The place of the brace that closes the one before the start."""
    depth = 1
    for place in range(start, len(text)):
        escaped = text[place - 1] == "\\"
        depth += 0 if escaped else {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return place
    return None


def files_named(text: str) -> list[str]:
    """The data files that a text needs beside it, each once; none with a name that no file of a report may have."""
    return list(dict.fromkeys(each.file for each in own_figures(text) if _FILE.fullmatch(each.file)))


def read_points(folder: Path, figure: OwnFigure) -> Points:
    """The points that a figure shows, or an error that says what is wrong with its file."""
    if not _FILE.fullmatch(figure.file):
        raise ReportError(f"{figure.file!r} is no name of a data file", hint="letters, digits, - and _, then .csv")
    for each in (figure.x, figure.y):
        if not _COLUMN.fullmatch(each):
            raise ReportError(f"{each!r} is no name of a column", hint="letters, digits, blanks and _ / ( ) . -")
    try:
        content = read_bounded(folder / figure.file, MOST_BYTES)
        text = content.decode()
    except SpecError as error:
        raise ReportError(error.what, hint="the file beside discussion.tex", file=figure.file) from error
    except UnicodeDecodeError as error:
        raise ReportError("is no UTF-8 text", hint="save it as UTF-8", file=figure.file) from error
    return _points(text, figure)


def _points(text: str, figure: OwnFigure) -> Points:
    try:
        rows = list(csv.reader(text.lstrip("\ufeff").splitlines(), strict=True))
    except csv.Error as error:
        raise ReportError(f"is no CSV: {error}", file=figure.file) from error
    if len(rows) < 2:
        raise ReportError("has no row of data", hint="names of columns, then a row a point", file=figure.file, line=1)
    if len(rows) > MOST_ROWS + 1:
        raise ReportError(f"has {len(rows) - 1} rows, at most {MOST_ROWS} are drawn", file=figure.file)
    head = [each.strip() for each in rows[0]]
    columns = [_place(head, each, figure.file) for each in (figure.x, figure.y)]
    x, y = (tuple(_values(rows[1:], place, head[place], figure.file)) for place in columns)
    return Points(figure.file, figure.x, figure.y, x, y)


def _place(head: list[str], name: str, file: str) -> int:
    if head.count(name) != 1:
        what = f"has no column {name!r}" if name not in head else f"has two columns {name!r}"
        raise ReportError(what, hint="one of " + ", ".join(head[:10]), file=file, line=1)
    return head.index(name)


def _values(rows: list[list[str]], place: int, name: str, file: str) -> Iterator[float]:
    for line, row in enumerate(rows, 2):
        typed = row[place].strip() if place < len(row) else ""
        try:
            value = float(typed)
        except ValueError:
            value = float("nan")
        if not isfinite(value) or abs(value) > 1e18 or 0 < abs(value) < 1e-18:
            raise ReportError(f"{typed!r} in column {name!r} is no number that can be drawn", file=file, line=line)
        yield value
