"""A grader's setup on the fake site, with records measured once, and a function that grades a file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from tests.lab import hand_ins
from tests.lab.hand_ins import Course

from lab.grade.case import Case, GradingSetup, SubmissionFile
from lab.grade.finding import Grade
from lab.grade.grading import grade
from lab.submission.assignment import CHECKS

GradeFile = Callable[..., Grade]


@pytest.fixture(scope="session")
def setup(course: Course) -> GradingSetup:
    site = hand_ins.Site()
    plan = hand_ins.plan_on(course.folder / "course" / "small.toml", site, "d")
    own = course.folder / "grader"
    return GradingSetup(course.assignment, site, plan, own, course.templates, course.cache, 1, lambda *_: None)


@pytest.fixture
def grade_file(setup: GradingSetup, tmp_path: Path) -> Iterator[GradeFile]:
    def graded(file: Path, names: Iterable[str] = CHECKS, at: GradingSetup = setup) -> Grade:
        folder = tmp_path / f"scratch-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        digest = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
        return grade(Case(at, SubmissionFile(file), folder), digest, names, lambda _: None)

    yield graded
