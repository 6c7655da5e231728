"""An assignment with a rubric and a deadline, and grades of hand-ins as a grading keeps them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.grade.course import attempts_of
from lab.grade.finding import SavedCheck, SavedGrade, Status
from lab.submission.assignment import Assignment, load_assignment
from lab.typed_json import as_json

TEXT = """title = "Week one"
experiment = "verbs_throughput"
people_at_most = 2
[points]
rerun = 30
claims = 50
[deadline]
at = "2026-12-01T12:00+00:00"
late_days = 2
percent_a_day = 10
[[rubric]]
name = "reasoning"
points = 20
asks = "why"
"""

Keep = Callable[..., Path]


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    (tmp_path / "week1.toml").write_text(TEXT)
    return load_assignment(tmp_path / "week1.toml")


@pytest.fixture
def keep(tmp_path: Path) -> Keep:
    """Keep a grade of a hand-in, as its next attempt."""

    def kept(name: str, *ids: str, rerun: int = 30, claims: int = 50) -> Path:
        checks = tuple(
            SavedCheck(check, most, points, Status.PASSED if points else Status.FAILED)
            for check, most, points in (("rerun", 30, rerun), ("claims", 50, claims))
        )
        grade = SavedGrade(submission=name, ids=ids, assignment="week1", checks=checks, most=80, final=True)
        folder = attempts_of(tmp_path / "grades", Path(name))
        attempt = folder / str(len(list(folder.glob("*"))) + 1)
        attempt.mkdir(parents=True)
        (attempt / "grade.json").write_text(json.dumps(as_json(replace(grade, points=rerun + claims))))
        return attempt

    return kept
