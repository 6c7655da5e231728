from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from lab.analysis.estimate import TooFewSamples, reciprocal
from lab.analysis.lines import fit_line

PUBLISHED = Path(__file__).parents[3] / "experiments" / "published"
TRIES = 2_000


def test_the_published_ping_pong_gives_its_bandwidth_intercept_and_r_squared() -> None:
    size, seconds = np.loadtxt(PUBLISHED / "mpi_pingpong_raw.csv", delimiter=",", skiprows=1, unpack=True)
    line = fit_line(size, seconds)
    assert round(reciprocal(line.slope).value) == 5939141590
    assert line.intercept.value == pytest.approx(0.0023124, abs=5e-8)
    assert line.r_squared == pytest.approx(0.99892, abs=5e-6)
    assert (line.n, line.low, line.high) == (938, 16e6, 2.144e9)


def test_each_repetition_has_the_line_that_scipy_gives_and_the_interval_is_students_over_them() -> None:
    random = np.random.default_rng(1)
    x = np.arange(20.0)
    rows = 3 + 2 * x + random.normal(size=(7, 20))
    line, known = fit_line(x, rows), [stats.linregress(x, row) for row in rows]
    for found, values in ((line.slope, [k.slope for k in known]), (line.intercept, [k.intercept for k in known])):
        assert found.interval is not None and found.n == 7
        assert found.value == pytest.approx(np.mean(values))
        low, high = stats.t.interval(0.95, 6, np.mean(values), stats.sem(values))
        assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert line.r_squared == pytest.approx(stats.linregress(np.tile(x, 7), rows.reshape(-1)).rvalue ** 2)


def neighbours_alike(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Noise that goes from one size to the next, as the residuals of real curves do."""
    noise = random.normal(size=shape)
    for place in range(1, shape[1]):
        noise[:, place] = 0.85 * noise[:, place - 1] + np.sqrt(1 - 0.85**2) * noise[:, place]
    return noise


@pytest.mark.parametrize("repetitions", [2, 3, 6, 10])
@pytest.mark.parametrize("between", [0.0, 0.002, 0.01])
def test_the_intervals_hold_the_truth_as_often_as_they_say(between: float, repetitions: int) -> None:
    random = np.random.default_rng(1)
    x, held = np.arange(1, 22) * 4000.0, np.zeros(2)
    truth = 30_000 + 0.8 * x
    for _ in range(TRIES):
        own = 1 + between * random.normal(size=(repetitions, 1))
        line = fit_line(x, truth * (own + 0.002 * neighbours_alike(random, (repetitions, x.size))))
        pairs = ((line.slope, 0.8), (line.intercept, 30_000))
        held += [found.interval is not None and found.interval.contains(true) for found, true in pairs]
    assert (held / TRIES > 0.93).all() and (held / TRIES < 0.97).all(), held / TRIES


def test_residuals_are_what_the_line_leaves() -> None:
    line = fit_line([0, 1, 2, 3], [0, 1, 0, 1])
    assert line.residuals == pytest.approx(np.array([0, 1, 0, 1]) - line.at([0, 1, 2, 3]))
    assert line.residuals.sum() == pytest.approx(0)


def test_one_repetition_has_a_line_and_no_interval_however_many_points_it_has() -> None:
    line = fit_line(np.arange(1000.0), 10 * np.arange(1000.0))
    assert (line.slope.interval, line.slope.n, line.n) == (None, 1, 1000)
    assert line.slope.value == pytest.approx(10)


def test_rows_that_do_not_fit_the_x_are_refused() -> None:
    with pytest.raises(TooFewSamples):
        fit_line([1, 2, 3], [[1, 2], [3, 4], [5, 6]])


def test_points_over_one_x_have_no_line() -> None:
    with pytest.raises(TooFewSamples):
        fit_line([5, 5, 5], [1, 2, 3])


def test_equal_y_leave_r_squared_undefined() -> None:
    assert fit_line([1, 2, 3], [4, 4, 4]).r_squared is None
