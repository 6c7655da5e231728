"""grade.json: the grade of one attempt as it is kept, and read again by whoever collects grades."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from lab.grade.result import CheckResult, Grade, PartPoints, Status
from lab.typed_json import JsonError, parse_as

GRADE, SENTENCES, NAMELESS = "grade.json", "sentences.html", "nameless.pdf"


@dataclass(frozen=True)
class SavedFinding:
    """One finding of a check."""

    kind: str
    what: str


@dataclass(frozen=True)
class SavedCheck:
    """One check with its points."""

    name: str
    most: int
    points: int
    status: Status
    findings: tuple[SavedFinding, ...] = ()
    hidden: bool = False
    command: str = ""
    seconds: float | int = 0.0
    parts: tuple[PartPoints, ...] = ()


@dataclass(frozen=True)
class SavedGrade:
    """All of a grade; without arguments, the one of a hand-in that has none."""

    flags: tuple[str, ...] = ()  # first in the file, since a reader must know them first
    submission: str = ""
    sha256: str = ""
    ids: tuple[str, ...] = ()
    assignment: str = ""
    grader: str = ""
    identity: str = ""
    note: str = ""
    points: int = 0
    most: int = 0
    final: bool = False
    kinds: tuple[str, ...] = ()
    checks: tuple[SavedCheck, ...] = ()
    format: int = 1


def saved(grade: Grade) -> SavedGrade:
    """The grade with its sums."""
    about = (grade.submission, grade.sha256, grade.ids, grade.assignment, grade.grader, grade.identity, grade.note)
    sums = (grade.points, grade.most, grade.is_final, grade.kinds)
    return SavedGrade(grade.flags, *about, *sums, tuple(map(_check, grade.results)))


def read_grade(attempt: Path) -> SavedGrade | None:
    """One attempt's grade; None if it is missing or damaged."""
    try:
        return parse_as(SavedGrade, json.loads((attempt / GRADE).read_text()))
    except (OSError, ValueError, JsonError, RecursionError):
        return None


def _check(result: CheckResult) -> SavedCheck:
    found = tuple(SavedFinding(each.kind.value, each.what) for each in result.findings)
    sums = (result.name, result.most, result.points, result.status)
    return SavedCheck(*sums, found, result.hidden, result.command, result.seconds, result.parts)
