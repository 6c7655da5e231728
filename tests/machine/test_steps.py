"""The steps of write_the_programs on the exact site: lab.grade.checks.program."""

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
TIMED = "sockets"  # the step whose tiers are graded here, too
# Each submission by its steps: wrong ones, and steps of the solution. A compilation takes longer than a step.
SUBMISSIONS: list[dict[str, Wrong | None]] = [
    {wrong.step: wrong for wrong in USUAL if wrong.name != "no_completion_polled"},
    {"poll": USUAL[0], "lists": None, "open": None},
]
Graded = Callable[[dict[str, Wrong | None]], dict[str, tuple[list[Finding], list[PartPoints]]]]


@pytest.fixture
def graded(exact: ExactSite, tmp_path: Path) -> Graded:
    """Grade some steps of the solution, with mistakes, at few sizes with few messages."""

    def grade(tried: dict[str, Wrong | None]) -> dict[str, tuple[list[Finding], list[PartPoints]]]:
        file = laid_out(KIT, tmp_path)
        text = file.read_text().replace('sizes = "16,256,4K"', 'sizes = "256"')
        file.write_text(text if TIMED in tried else text.replace("deadline_s = 10", "deadline_s = 4"))
        for wrong in filter(None, tried.values()):
            wrong.apply(tmp_path / "program")
        sources = {f"{SOURCES}/silent/{each.name}": each.read_bytes() for each in (tmp_path / "program").iterdir()}
        shutil.copytree(PROGRAM, tmp_path / "program", dirs_exist_ok=True)  # the course's own, as a grader has it
        (plan,) = open_workshop([file], exact, print).plans
        own = (each for each in KIT.assignment.steps if each.series in tried)
        untimed = tuple(each if each.series == TIMED else replace(each, tiers=(), against="") for each in own)
        sizes = {size for wrong in tried.values() for size in (wrong.sizes if wrong else (512,))}
        asked = replace(KIT.assignment.asked, sizes=tuple(sorted(sizes)))
        assignment = replace(KIT.assignment, steps=untimed, asked=asked)
        results = tmp_path / "results"
        setup = GradingSetup(assignment, exact, plan, results, tmp_path, tmp_path, 1, lambda *_: None, witness=exact)
        case = Case(setup, SubmissionFile(tmp_path / "x.pdf"), tmp_path)
        vars(case.hand_in)["submission"] = Submission("x", b"", {PROGRAMS: pack(sources)})
        found = list(steps(case))
        return {
            step: (
                [each for each in found if isinstance(each, Finding) and each.what.startswith(f"{step}: ")],
                [each for each in found if isinstance(each, PartPoints) and each.name.startswith(f"{step}: ")],
            )
            for step in tried
        }

    return grade


def expected(graded: Graded, tried: dict[str, Wrong | None]) -> None:
    for step, (findings, parts) in graded(tried).items():
        if wrong := tried[step]:
            assert {each.kind for each in findings} == {wrong.kind} and wrong.says in findings[0].what, findings
            assert sum(each.points for each in parts) == wrong.points
        else:
            assert findings == [] and parts and all(each.points == each.most > 0 for each in parts)


@pytest.mark.parametrize("tried", SUBMISSIONS, ids=["mistakes", "a mistake and a solution"])
def test_mistakes_are_explained_and_steps_of_the_solution_have_all_points(
    graded: Graded, tried: dict[str, Wrong | None]
) -> None:
    expected(graded, tried)


@pytest.mark.corpus
@pytest.mark.parametrize("wrong", OTHERS, ids=[each.name for each in OTHERS])
def test_every_other_mistake_is_found_and_explained(graded: Graded, wrong: Wrong) -> None:
    expected(graded, {wrong.step: wrong})


@pytest.mark.corpus
@pytest.mark.parametrize("step", [each.series for each in KIT.assignment.steps])
def test_every_step_of_the_solution_has_all_its_points(graded: Graded, step: str) -> None:
    expected(graded, {step: None})
