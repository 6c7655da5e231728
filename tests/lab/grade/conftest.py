"""A grader's setup on the fake site, with records measured once, and functions that grade."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.lab import hand_ins
from tests.lab.grade.forger import Forger, make_forger
from tests.lab.hand_ins import Course, with_report

from lab.grade import grading
from lab.grade.case import Case, GradingSetup, SubmissionFile
from lab.grade.finding import Finding, Grade
from lab.grade.grading import grade
from lab.submission.assignment import CHECKS
from lab.submission.hand_in import Work

GradeFile = Callable[..., Grade]
SetChecks = Callable[..., None]


@pytest.fixture(scope="session")
def setup(course: Course) -> GradingSetup:
    return setup_of(course)


def setup_of(course: Course) -> GradingSetup:
    site = hand_ins.Site()
    plan = hand_ins.plan_on(course.folder / "course" / "small.toml", site, "d")
    results = course.folder / "grader"
    return GradingSetup(course.assignment, site, plan, results, course.templates, course.cache, 1, lambda *_: None)


@pytest.fixture
def grade_file(course: Course, setup: GradingSetup, tmp_path: Path) -> GradeFile:
    """A function that grades a file, its content, or the work of a student who has made the report by then."""

    def graded(submitted: Path | bytes | Work, names: Iterable[str] = CHECKS, at: GradingSetup = setup) -> Grade:
        folder = tmp_path / f"scratch-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        file = submitted if isinstance(submitted, Path) else folder / "in.pdf"
        if isinstance(submitted, Work):
            hand_ins.handed_in(submitted if submitted.report.exists() else with_report(course, submitted), file)
        elif isinstance(submitted, bytes):
            file = file.with_suffix(".zip" if submitted.startswith(b"PK") else ".pdf")
            file.write_bytes(submitted)
        return grade(Case(at, SubmissionFile(file), folder), "", names, lambda _: None)

    return graded


@pytest.fixture
def forger(course: Course, ada: Any, tmp_path: Path) -> Forger:
    return make_forger(course, ada, tmp_path)


@pytest.fixture
def case(setup: GradingSetup, tmp_path: Path) -> Case:
    """A submission that does not exist."""
    return Case(setup, SubmissionFile(tmp_path / "ada.pdf"), tmp_path)


@pytest.fixture
def set_checks(monkeypatch: pytest.MonkeyPatch) -> SetChecks:
    """Put functions in the place of checks; all other checks pass."""

    def set_all(**checks: Callable[[Case], Iterable[Finding]]) -> None:
        passing: dict[str, Any] = dict.fromkeys(CHECKS, lambda _: ())
        monkeypatch.setattr(grading, "CHECKS", passing | checks)

    return set_all
