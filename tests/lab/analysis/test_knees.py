"""Knees, jumps and steps of a curve."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from lab.analysis.estimate import TooFewSamples
from lab.analysis.knees import find_jumps, find_knee, find_steps

SIZES = np.repeat(2.0 ** np.arange(13), 160)
STEPS = np.arange(1.0, 31)


def bent(x: NDArray[np.float64], knee: float) -> NDArray[np.float64]:
    return 5 + 0.1 * x + np.maximum(x - knee, 0)


def test_a_knee_without_noise_is_found_where_it_is() -> None:
    found = find_knee(STEPS, bent(STEPS, 12.3))
    assert found is not None and found.at.interval is not None
    assert found.at.value == pytest.approx(12.3, abs=1e-5)
    assert found.at.interval.contains(12.3)


def test_the_interval_holds_the_true_knee_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    found = [find_knee(STEPS, bent(STEPS, 12.3) + random.normal(0, 0.5, 30)) for _ in range(200)]
    held = sum(knee is not None and knee.at.interval is not None and knee.at.interval.contains(12.3) for knee in found)
    assert held >= 180


@pytest.mark.parametrize("slope", [0.0, 0.1])
def test_a_straight_line_with_noise_seldom_has_a_knee(slope: float) -> None:
    random = np.random.default_rng(1)
    found = sum(find_knee(STEPS, slope * STEPS + random.normal(size=30)) is not None for _ in range(200))
    assert found <= 14


@pytest.mark.parametrize("curve", [np.zeros(30), 7 + 2 * STEPS, STEPS**2], ids=["flat", "straight", "parabola"])
def test_a_curve_without_a_knee_has_none(curve: NDArray[np.float64]) -> None:
    assert find_knee(STEPS, curve) is None


def test_units_of_x_and_y_do_not_matter() -> None:
    noise = np.random.default_rng(1).normal(0, 0.5, 30)
    small = find_knee(STEPS, bent(STEPS, 12.3) + noise)
    large = find_knee(STEPS * 1e9, (bent(STEPS, 12.3) + noise) * 1e-6)
    assert small is not None and large is not None
    assert large.at.value == pytest.approx(small.at.value * 1e9)
    assert large.p_value == small.p_value


def test_four_sizes_are_too_few_for_a_knee() -> None:
    with pytest.raises(TooFewSamples):
        find_knee([1, 2, 4, 8, 8], [1, 1, 1, 5, 5])


LINE = {size: 500.0 + 10 * size for size in (1, 16, 64, 256, 1024, 2047, 2048, 2049, 4096)}


@pytest.mark.parametrize(
    ("times", "steps"),
    [
        ({16: 1.0, 32: 1.0, 64: 1.95, 128: 2.0}, [64]),
        ({16: 3.4, 32: 3.4, 64: 4.3, 128: 4.4}, [64]),
        ({16: 1.0, 32: 1.0, 64: 1.1, 128: 1.1}, []),  # too little
        ({256: 1.0, 1024: 1.5, 4096: 2.4}, []),  # goes on growing
        ({1024: 1.0, 4096: 1.6, 16384: 2.5}, []),  # grows on, though a byte costs less
        ({16: 1.0, 32: 1.0, 64: 1.95}, []),  # nobody knows how it goes on
        ({16: 1.0, 32: 1.0, 48: 1.5, 64: 1.0}, []),  # falls back
        ({4086: 1.0, 4087: 1.0, 4088: 1.06}, [4088]),  # bytes cost nothing there
        ({4086: 1.0, 4087: 1.0, 4088: 1.04}, []),
        (LINE, []),  # near sizes do not hide that a line goes on
    ],
)
def test_a_step_of_a_time_is_a_growth_that_does_not_go_on(times: dict[int, float], steps: list[int]) -> None:
    assert list(find_steps(times)) == steps


def test_a_throughput_jumps_where_a_message_takes_less_time_than_a_smaller_one() -> None:
    found = find_jumps({256: 1.0, 512: 2.0, 1024: 2.1, 2048: 8.4, 4096: 17.0})
    assert list(found) == [2048] and found[2048] == pytest.approx(4.0)
