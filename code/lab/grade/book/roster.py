"""The people of a course: a CSV with the column id, and others where there are any."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.grade.book.tables import read_lines, whole_number
from lab.grade.class_page import same_id

COLUMNS = ("id", "name", "email", "login", "section", "canvas_id", "free_days")


@dataclass(frozen=True)
class Person:
    """One of the course; what the course did not say is empty."""

    id: str
    name: str = ""
    email: str = ""
    login: str = ""
    section: str = ""
    canvas_id: str = ""
    free_days: int = 0  # late days that cost nothing, for this assignment


Roster = dict[str, Person]  # by the id as two people would type the same one


def read_roster(file: Path) -> Roster:
    """Everybody once; an error names the line of an id that is empty or there before."""
    found: Roster = {}
    lines: dict[str, int] = {}
    for line, row in read_lines(file, ("id",), COLUMNS):
        if not row["id"]:
            raise SpecError("the id is empty", file=file, line=line)
        key = same_id(row["id"])
        if key in found:
            raise SpecError(f"the id {row['id']!r:.60} stands in line {lines[key]} already", file=file, line=line)
        days = whole_number(row.pop("free_days"), "free_days", file, line)
        found[key], lines[key] = Person(**row, free_days=days), line
    if not found:
        raise SpecError("the roster names nobody", file=file)
    return found
