"""The hand-ins of an assignment: their grades as they are kept, and when each came."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lab.errors import SpecError
from lab.grade.attempts import last_attempt
from lab.grade.book.tables import read_lines
from lab.grade.saved import SavedGrade


@dataclass(frozen=True)
class HandIn:
    """One graded hand-in; `handed_in` is None where nothing says when."""

    grade: SavedGrade
    folder: Path
    handed_in: datetime | None

    @property
    def name(self) -> str:
        return self.grade.submission


Times = dict[str, datetime]  # by the name of the file


def hand_ins(grades: Path, assignment: str, times: Times) -> list[HandIn]:
    """The last attempt of each hand-in for this assignment, the earliest first; those without a time before all."""
    found = []
    for folder in sorted(each for each in grades.glob("*") if each.is_dir()):
        attempt, grade = last_attempt(folder)
        if attempt and grade.assignment == assignment:
            found.append(HandIn(grade, attempt, times.get(grade.submission)))
    never = datetime.min.replace(tzinfo=UTC)
    return sorted(found, key=lambda each: (each.handed_in or never, each.name))


def times_of(submissions: Path | None, table: Path | None) -> Times:
    """When each file came: as a table says, else by the file's own date."""
    found: Times = {}
    if submissions:
        for file in submissions.iterdir():
            found[file.name] = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    if table:
        for line, row in read_lines(table, ("submission", "handed_in"), ("submission", "handed_in")):
            found[row["submission"]] = _moment(row["handed_in"], table, line)
    return found


def _moment(text: str, file: Path, line: int) -> datetime:
    """With its offset; without one it would mean another moment on another computer."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise SpecError(f"handed_in is {text!r:.40}", file=file, line=line, expected="such as 2026-12-01T23:59+01:00")
    return moment
