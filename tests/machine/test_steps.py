"""The steps of write_the_programs on the exact site: lab.grade.checks.program."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.machine.own_hand_in import KIT, GradedSteps, graded_steps
from tests.machine.wrong_programs import OTHERS, USUAL, Wrong

from lab.sites.exact import ExactSite

# Each submission by its steps: wrong ones, and steps of the solution. A compilation takes longer than a step.
SUBMISSIONS: list[dict[str, Wrong | None]] = [
    {wrong.step: wrong for wrong in USUAL if wrong.name != "no_completion_polled"},
    {"poll": USUAL[0], "lists": None, "open": None},
]
Graded = Callable[[dict[str, Wrong | None]], GradedSteps]


@pytest.fixture
def graded(exact: ExactSite, tmp_path: Path) -> Graded:
    return lambda tried: graded_steps(exact, tmp_path, tried)


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
