"""Knees, jumps and steps of a curve."""

import numpy as np
import pytest
from numpy.typing import NDArray

from lab.analysis.estimate import TooFewSamples
from lab.analysis.knees import find_jumps, find_knee, find_steps

STEPS = np.arange(1.0, 31)
TRIES = 30


def bent(x: NDArray[np.float64], knee: float) -> NDArray[np.float64]:
    return 5 + 0.1 * x + np.maximum(x - knee, 0)


def test_knee_without_noise_is_exact() -> None:
    knee = find_knee(STEPS, bent(STEPS, 12.3))
    assert knee is not None and knee.interval is not None
    assert knee.value == pytest.approx(12.3, abs=1e-5)
    assert knee.interval.contains(12.3)


def test_interval_contains_the_true_knee_in_most_samples() -> None:
    random = np.random.default_rng(1)
    knees = [find_knee(STEPS, bent(STEPS, 12.3) + random.normal(0, 0.5, 30)) for _ in range(TRIES)]
    intervals = [knee.interval for knee in knees if knee]
    assert sum(interval is not None and interval.contains(12.3) for interval in intervals) >= 0.9 * TRIES


def test_straight_line_with_noise_rarely_has_a_knee() -> None:
    random = np.random.default_rng(1)
    assert sum(find_knee(STEPS, 0.1 * STEPS + random.normal(size=30)) is not None for _ in range(TRIES)) <= 0.1 * TRIES


@pytest.mark.parametrize("curve", [np.zeros(30), 7 + 2 * STEPS, STEPS**2], ids=["flat", "straight", "parabola"])
def test_curve_without_a_knee_has_none(curve: NDArray[np.float64]) -> None:
    assert find_knee(STEPS, curve) is None


def test_knee_needs_five_sizes() -> None:
    with pytest.raises(TooFewSamples):
        find_knee([1, 2, 4, 8, 8], [1, 1, 1, 5, 5])


LINE = {size: 500.0 + 10 * size for size in (1, 16, 64, 256, 1024, 2047, 2048, 2049, 4096)}


@pytest.mark.parametrize(
    ("times", "steps"),
    [
        ({16: 1.0, 32: 1.0, 64: 1.95, 128: 2.0}, [64]),
        ({16: 3.4, 32: 3.4, 64: 4.3, 128: 4.4}, [64]),
        ({16: 1.0, 32: 1.0, 64: 1.1, 128: 1.1}, []),  # too small
        ({256: 1.0, 1024: 1.5, 4096: 2.4}, []),  # continues
        ({1024: 1.0, 4096: 1.6, 16384: 2.5}, []),  # continues, though a byte costs less
        ({16: 1.0, 32: 1.0, 64: 1.95}, []),  # its continuation was not measured
        ({16: 1.0, 32: 1.0, 48: 1.5, 64: 1.0}, []),  # falls back
        ({4086: 1.0, 4087: 1.0, 4088: 1.06}, [4088]),  # bytes cost nothing there
        ({4086: 1.0, 4087: 1.0, 4088: 1.04}, []),
        (LINE, []),  # near sizes do not hide that a line continues
    ],
)
def test_growth_of_a_time_that_does_not_continue_is_a_step(times: dict[int, float], steps: list[int]) -> None:
    assert list(find_steps(times)) == steps


def test_throughput_jumps_if_a_message_takes_less_time_than_a_smaller_one() -> None:
    jumps = find_jumps({256: 1.0, 512: 2.0, 1024: 2.1, 2048: 8.4, 4096: 17.0})
    assert list(jumps) == [2048] and jumps[2048] == pytest.approx(4.0)
