"""Warm-up, the rule that stops rounds, and corrected rates."""

from pathlib import Path

import numpy as np
import pytest

from lab.analysis.estimate import Interval
from lab.analysis.ratios import Verdict, judge
from lab.analysis.rounds import LARGEST_SHARE, corrected, until_stable, warm_up_ratio


def test_warm_up_shows_if_the_first_window_takes_twice_the_time() -> None:
    trials = np.random.default_rng(1).normal(100, 1, (10, 20))
    trials[:, 0] *= 2
    ratio = warm_up_ratio(trials)
    assert ratio.value == pytest.approx(2, abs=0.05)
    assert judge(ratio) is Verdict.MORE
    assert judge(warm_up_ratio(np.random.default_rng(2).normal(100, 1, (10, 20)))) is Verdict.CANT_TELL


@pytest.mark.parametrize(
    ("series", "stop"),
    [
        ([10, 50, 80] + [100] * 20, (8, True)),
        ([99.5, 100, 100, 100, 100.5], (5, True)),  # a spread equal to the target
        ([99.4, 100, 100, 100, 100.5], (5, None)),
        ([100, 200, 100], (3, None)),
        (list(100 * 1.01 ** np.arange(100)), (50, False)),  # a drift up to the cap
    ],
)
def test_series_is_stable_once_the_window_has_passed_its_start(
    series: list[float], stop: tuple[int, bool | None]
) -> None:
    assert until_stable(series, target=0.01, window=5, cap=50) == stop


def golden() -> list[list[str]]:
    """The series of the C programs' tests."""
    lines = (Path(__file__).parents[2] / "data" / "until_stable.txt").read_text().splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("words", golden(), ids=lambda words: words[0])
def test_golden_series_stop_as_in_c(words: list[str]) -> None:
    percent, window, cap, state, n = words[1:6]
    states = {"reached": True, "not_reached": False, "go_on": None}
    stop = until_stable([float(value) for value in words[6:]], float(percent) / 100, int(window), int(cap))
    assert stop == (int(n), states[state])


@pytest.mark.parametrize("trip", [2 * LARGEST_SHARE * 100 + 1, 200, 500])
def test_large_correction_is_refused(trip: float) -> None:
    assert corrected(1000, [100.0] * 6, [trip] * 6).rate is None


def test_correction_is_refused_if_its_interval_may_be_too_large() -> None:
    assert corrected(1000, [100.0] * 6, [19.0] * 6).rate is not None
    assert corrected(1000, [100.0] * 6, [19.0, 19, 19, 19, 19, 21]).rate is None


def test_time_after_the_last_completion_is_subtracted() -> None:
    correction = corrected(1000, [100.0] * 6, [7.0] * 6, [92.0] * 6)
    assert correction.share.value == pytest.approx(0.08)
    assert correction.rate is not None and correction.rate.value == pytest.approx(1000 / 92)
    assert correction.rate.interval == Interval(1000 / 100, 1000 / 85)


@pytest.mark.parametrize(("completed", "trip"), [(89.0, 7.0), (99.0, 21.0), (99.0, 200.0)])
def test_early_completion_or_long_trip_is_refused(completed: float, trip: float) -> None:
    assert corrected(1000, [100.0] * 6, [trip] * 6, [completed] * 6).rate is None
