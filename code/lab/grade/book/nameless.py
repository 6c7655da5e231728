"""Hand-ins for a person who is to judge them without names: a code, the report, and a sheet to fill in."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from pathlib import Path

from lab.errors import SpecError
from lab.files.csv_text import csv_text
from lab.files.storage import write_bytes, write_text
from lab.grade.book.by_hand import COLUMNS
from lab.grade.book.hand_ins import HandIn
from lab.grade.book.tables import read_lines
from lab.grade.saved import NAMELESS, SENTENCES
from lab.submission.assignment import Assignment

CODES, SHEET = "codes.csv", "sheet.csv"

Codes = dict[str, str]  # of each hand-in, by its name


def read_codes(grades: Path) -> Codes:
    """Those that were given before; none where nobody asked for them."""
    file = grades / CODES
    if not file.exists():
        return {}
    names = ("submission", "code")
    return {row["submission"]: row["code"] for _, row in read_lines(file, names, names)}


def give_codes(grades: Path, found: Iterable[HandIn]) -> Codes:
    """The codes of all hand-ins. One that was given stays, so that what was judged by it stays, too."""
    codes = read_codes(grades)
    for each in found:
        codes.setdefault(each.name, secrets.token_hex(4))
    write_text(grades / CODES, csv_text(("submission", "code"), codes.items()))
    return codes


def write_nameless(assignment: Assignment, found: list[HandIn], codes: Codes, folder: Path) -> None:
    """A folder for each code, and a sheet to fill in, in an order that says nothing."""
    for each in found:
        report = each.folder / NAMELESS
        if not report.is_file():
            raise SpecError(
                f"{each.name} has no report without names", file=each.folder,
                hint="anonymous = true in the assignment, and grade again",
            )  # fmt: skip
        for file in (report, each.folder / SENTENCES):
            if file.is_file():
                write_bytes(folder / codes[each.name] / file.name, file.read_bytes())
    rows = [
        (code, each.name, "", "")
        for code in sorted(codes[each.name] for each in found)
        for each in assignment.terms.rubric
    ]
    if not (folder / SHEET).exists():
        write_text(folder / SHEET, csv_text(COLUMNS, rows))
