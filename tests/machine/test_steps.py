"""The steps of write_the_programs on the exact site: lab.grade.checks.program."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.machine.wrong_programs import OTHERS, USUAL, Wrong

from lab.grade.case import Case, GradingSetup, SubmissionFile
from lab.grade.checks.program import steps
from lab.grade.finding import Finding, PartPoints
from lab.kit.commands import laid_out
from lab.kit.kit import load_kit
from lab.places import ASSIGNMENTS
from lab.plan.planning import open_workshop
from lab.sites.exact import ExactSite
from lab.submission.archive import PROGRAMS, Submission, pack
from lab.submission.hand_in import SOURCES

KIT = load_kit("write_the_programs")
PROGRAM = ASSIGNMENTS / KIT.name / "program"
FEW = 'sizes = "256"\niterations = 200\nwarmup = 64\n'
TIMED = "sockets"  # the step whose tiers are graded here, too

Graded = Callable[[str, Wrong | None], tuple[list[Finding], list[PartPoints]]]


@pytest.fixture
def graded(exact: ExactSite, tmp_path: Path) -> Graded:
    """Grade one step of the solution with a mistake, at one size with few messages."""

    def grade(step: str, wrong: Wrong | None) -> tuple[list[Finding], list[PartPoints]]:
        file = laid_out(KIT, tmp_path)
        text = file.read_text().replace('sizes = "16,256,4K"\niterations = 200\nwarmup = 64\n', FEW)
        file.write_text(text if step == TIMED else text.replace("deadline_s = 10", "deadline_s = 4"))
        if wrong:
            wrong.apply(tmp_path / "program")
        sources = {f"{SOURCES}/silent/{each.name}": each.read_bytes() for each in (tmp_path / "program").iterdir()}
        shutil.copytree(PROGRAM, tmp_path / "program", dirs_exist_ok=True)  # the course's own, as a grader has it
        (plan,) = open_workshop([file], exact, print).plans
        asked_for = next(each for each in KIT.assignment.steps if each.series == step)
        own = (asked_for if step == TIMED else replace(asked_for, tiers=(), against=""),)
        asked = replace(KIT.assignment.asked, sizes=(512,))
        assignment = replace(KIT.assignment, steps=own, asked=asked)
        results = tmp_path / "results"
        setup = GradingSetup(assignment, exact, plan, results, tmp_path, tmp_path, 1, lambda *_: None, witness=exact)
        case = Case(setup, SubmissionFile(tmp_path / "x.pdf"), tmp_path)
        vars(case.hand_in)["submission"] = Submission("x", b"", {PROGRAMS: pack(sources)})
        found = list(steps(case))
        parts = [each for each in found if isinstance(each, PartPoints)]
        return [each for each in found if isinstance(each, Finding)], parts

    return grade


def refused(graded: Graded, wrong: Wrong) -> None:
    findings, parts = graded(wrong.step, wrong)
    assert {each.kind for each in findings} == {wrong.kind} and wrong.says in findings[0].what, findings
    assert sum(each.points for each in parts) == wrong.points


def test_step_of_the_solution_has_all_its_points(graded: Graded) -> None:
    findings, (part,) = graded("lists", None)
    assert findings == [] and part.points == part.most == 5


@pytest.mark.parametrize("wrong", USUAL, ids=[each.name for each in USUAL])
def test_mistake_is_found_and_explained(graded: Graded, wrong: Wrong) -> None:
    refused(graded, wrong)


@pytest.mark.corpus
@pytest.mark.parametrize("wrong", OTHERS, ids=[each.name for each in OTHERS])
def test_every_other_mistake_is_found_and_explained(graded: Graded, wrong: Wrong) -> None:
    refused(graded, wrong)


@pytest.mark.corpus
@pytest.mark.parametrize("step", [each.series for each in KIT.assignment.steps])
def test_every_step_of_the_solution_has_all_its_points(graded: Graded, step: str) -> None:
    findings, parts = graded(step, None)
    assert findings == [] and all(each.points == each.most for each in parts)
