"""Student programs and steps of two kits on the exact site: true ones pass, false ones are found and explained."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.machine import own_hand_in
from tests.machine.own_hand_in import CHECKS, KIT, RING, GradedSteps, graded_steps
from tests.machine.tampered_programs import HONEST, OTHERS, TOGETHER, USUAL, Tampering
from tests.machine.wrong_programs import OTHER_RINGS, OTHER_STEPS, USUAL_RINGS, USUAL_STEPS, Wrong

from lab.grade.case import Case
from lab.grade.checks.program import program
from lab.grade.finding import Finding, Flaw
from lab.kit.kit import Kit
from lab.places import EXAMPLES
from lab.sites.exact import ExactSite
from lab.submission.assignment import Demands

CaseOf = Callable[[Tampering | None], Case]


@pytest.fixture
def case_of(exact: ExactSite, tmp_path: Path) -> CaseOf:
    return lambda tampering: own_hand_in.tampered_case(exact, tmp_path, tampering)


def test_honest_program_passes_all_checks(case_of: CaseOf) -> None:
    case = case_of(None)
    assert {name: list(check(case)) for name, check in CHECKS.items()} == {name: [] for name in CHECKS}


def found_and_named(case: Case, tampering: Tampering) -> None:
    findings = [each for each in CHECKS[tampering.check](case) if isinstance(each, Finding)]
    assert {each.kind for each in findings} == {tampering.kind}, findings


@pytest.mark.parametrize("tampering", USUAL, ids=[each.name for each in USUAL])
def test_tampered_program_is_found(case_of: CaseOf, tampering: Tampering) -> None:
    found_and_named(case_of(tampering), tampering)


@pytest.mark.corpus
@pytest.mark.parametrize("style", HONEST, ids=[each.name for each in HONEST])
def test_honest_program_of_any_style_passes(case_of: CaseOf, style: Tampering) -> None:
    assert list(program(case_of(style))) == []


@pytest.mark.corpus
@pytest.mark.parametrize("tampering", OTHERS, ids=[each.name for each in OTHERS])
def test_every_other_kind_of_tampering_is_found(case_of: CaseOf, tampering: Tampering) -> None:
    found_and_named(case_of(tampering), tampering)


@pytest.mark.corpus
@pytest.mark.parametrize("found", [[], [TOGETHER.kind]], ids=["honest", TOGETHER.name])
def test_round_trips_must_wait_for_their_answer(exact: ExactSite, tmp_path: Path, found: list[Flaw]) -> None:
    example = EXAMPLES / "send_pingpong"
    shutil.copytree(example / "program", tmp_path / "program", ignore=shutil.ignore_patterns("send_pingpong"))
    text = example.with_suffix(".toml").read_text().partition('[[series]]\nname = "rate"')[0]
    for old, new in (("send_pingpong/", ""), ('"64,4K,64K"', '"64"'), ("repetitions = 2", "repetitions = 1")):
        text = text.replace(old, new)
    (tmp_path / "own.toml").write_text(text)
    if found:
        TOGETHER.apply(tmp_path)
    case = own_hand_in.case_of(exact, tmp_path, Demands(sizes=(1000,)))
    assert list({each.kind for each in program(case)}) == found


# Wrong steps and one of the solution. A compilation takes longer than a step.
STEPS: dict[str, Wrong | None] = {"open": None, **{wrong.step: wrong for wrong in USUAL_STEPS}}
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
@pytest.mark.parametrize("wrong", OTHER_STEPS, ids=[each.name for each in OTHER_STEPS])
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
