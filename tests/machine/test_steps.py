"""The steps of two kits on the exact site: lab.grade.checks.program."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.machine.own_hand_in import KIT, RING, GradedSteps, graded_steps
from tests.machine.wrong_programs import OTHER_RINGS, OTHERS, USUAL, USUAL_RINGS, Wrong

from lab.kit.kit import Kit
from lab.sites.exact import ExactSite

# Wrong steps and one of the solution. A compilation takes longer than a step.
STEPS: dict[str, Wrong | None] = {"open": None, **{wrong.step: wrong for wrong in USUAL}}
RINGS: dict[str, Wrong | None] = {"bootstrap": None, **{wrong.step: wrong for wrong in USUAL_RINGS}}
Graded = Callable[[dict[str, Wrong | None], Kit], GradedSteps]


@pytest.fixture
def graded(exact: ExactSite, tmp_path: Path) -> Graded:
    return lambda tried, kit: graded_steps(exact, tmp_path, tried, kit)


def expected(graded: Graded, tried: dict[str, Wrong | None], kit: Kit = KIT) -> None:
    for step, (findings, parts) in graded(tried, kit).items():
        if wrong := tried[step]:
            assert {each.kind for each in findings} == {wrong.kind}
            assert wrong.says in f"{findings[0].what}; {findings[0].hint}", findings
            assert sum(each.points for each in parts) == wrong.points
        else:
            assert findings == [] and parts and all(each.points == each.most > 0 for each in parts)


def test_mistakes_are_explained_and_a_step_of_the_solution_has_all_points(graded: Graded) -> None:
    expected(graded, STEPS)


@pytest.mark.corpus
@pytest.mark.parametrize("wrong", OTHERS, ids=[each.name for each in OTHERS])
def test_every_other_mistake_is_found_and_explained(graded: Graded, wrong: Wrong) -> None:
    expected(graded, {wrong.step: wrong})


@pytest.mark.corpus
@pytest.mark.parametrize("step", [each.series for each in KIT.assignment.steps])
def test_every_step_of_the_solution_has_all_its_points(graded: Graded, step: str) -> None:
    expected(graded, {step: None})


def test_mistakes_in_a_ring_are_explained_and_its_bootstrap_has_all_points(graded: Graded) -> None:
    expected(graded, RINGS, RING)


@pytest.mark.release
@pytest.mark.parametrize("wrong", OTHER_RINGS, ids=[each.name for each in OTHER_RINGS])
def test_every_other_mistake_in_a_ring_is_found_and_explained(graded: Graded, wrong: Wrong) -> None:
    expected(graded, {wrong.step: wrong}, RING)
