from collections.abc import Callable
from pathlib import Path

from tests.lab import fake_site as fake_module

from lab.cli.estimate import estimate_s
from lab.plan.plan import Plan
from lab.run.run import RunSetup, missing, run_trials

Make = Callable[..., Plan]


def test_nothing_known_is_guessed_by_the_number_of_processes(make_small_plan: Make, tmp_path: Path) -> None:
    planned = make_small_plan().planned
    assert estimate_s(planned[:1], planned, tmp_path, 1) == 3 + 5
    assert estimate_s(planned[-1:], planned, tmp_path, 1) == 3
    assert estimate_s(planned, planned, tmp_path, 2) == estimate_s(planned, planned, tmp_path, 1) / 2


def test_what_was_measured_says_how_long_its_like_take(make_small_plan: Make, tmp_path: Path) -> None:
    plan, site = make_small_plan(), fake_module.FakeSite(0.01)
    todo, _ = missing([plan], tmp_path)
    run_trials(RunSetup(site, plan.site, tmp_path), todo[:5], 2, lambda *_: None)
    left, _ = missing([plan], tmp_path)
    assert 0 < estimate_s(left, plan.planned, tmp_path, 1) < 1
