from pathlib import Path

import numpy as np
import pytest

from lab.analysis.rounds import Decision, State, UntilStable, stop_at

STABLE = UntilStable(target=0.01, window=5, cap=50)


def test_a_series_that_settles_is_stable_once_the_window_has_passed_its_start() -> None:
    assert stop_at(STABLE, [10, 50, 80] + [100] * 20) == Decision(State.REACHED, 8, 0.0)


def test_a_spread_of_the_target_itself_is_stable() -> None:
    assert STABLE.decide([99.5, 100, 100, 100, 100.5]).state is State.REACHED
    assert STABLE.decide([99.4, 100, 100, 100, 100.5]).state is State.GO_ON


def test_a_series_that_drifts_is_not_reached_at_the_cap() -> None:
    decision = stop_at(STABLE, 100 * 1.01 ** np.arange(100))
    assert (decision.state, decision.n) == (State.NOT_REACHED, 50)
    assert decision.spread == pytest.approx(0.04, abs=0.002)


def test_a_series_that_oscillates_is_not_reached_at_the_cap() -> None:
    assert stop_at(STABLE, [100, 103] * 50).state is State.NOT_REACHED


def test_a_noisy_series_never_settles() -> None:
    assert stop_at(STABLE, np.random.default_rng(1).normal(100, 10, 100)).state is State.NOT_REACHED


def test_a_drift_slower_than_the_target_per_window_passes() -> None:
    assert stop_at(STABLE, 100 * 1.001 ** np.arange(100)).state is State.REACHED


def test_a_series_that_ends_before_the_rule_decides_goes_on() -> None:
    assert stop_at(STABLE, [100, 200, 100]).state is State.GO_ON
    assert STABLE.decide([]).state is State.GO_ON


def golden() -> list[list[str]]:
    """The series that the C programs' rule is tested with too."""
    lines = (Path(__file__).parents[2] / "data" / "until_stable.txt").read_text().splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("words", golden(), ids=lambda words: words[0])
def test_golden_series_are_judged_as_in_c(words: list[str]) -> None:
    percent, window, cap, state, n = words[1:6]
    rule = UntilStable(float(percent) / 100, int(window), int(cap))
    decision = stop_at(rule, [float(value) for value in words[6:]])
    assert (decision.state.value.replace(" ", "_"), decision.n) == (state, int(n))
