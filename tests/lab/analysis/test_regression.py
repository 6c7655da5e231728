from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from lab.analysis.estimate import Estimate, Interval, reciprocal
from lab.analysis.regression import fit_line, intercept_agrees
from lab.analysis.samples import TooFewSamples

PUBLISHED = Path(__file__).parents[3] / "experiments" / "published"


def test_the_published_ping_pong_gives_its_bandwidth_intercept_and_r_squared() -> None:
    size, seconds = np.loadtxt(PUBLISHED / "mpi_pingpong_raw.csv", delimiter=",", skiprows=1, unpack=True)
    line = fit_line(size, seconds)
    assert round(reciprocal(line.slope).value) == 5939141590
    assert line.intercept.value == pytest.approx(0.0023124, abs=5e-8)
    assert line.r_squared == pytest.approx(0.99892, abs=5e-6)
    assert (line.n, line.low, line.high) == (938, 16e6, 2.144e9)


def test_slope_intercept_and_intervals_equal_those_of_scipy() -> None:
    random = np.random.default_rng(1)
    x = np.arange(20.0)
    y = 3 + 2 * x + random.normal(size=20)
    line, known = fit_line(x, y), stats.linregress(x, y)
    reach = stats.t.ppf(0.975, 18)
    assert line.slope.interval is not None and line.intercept.interval is not None
    assert (line.slope.value, line.intercept.value) == pytest.approx((known.slope, known.intercept))
    assert line.slope.interval.high == pytest.approx(known.slope + reach * known.stderr)
    assert line.intercept.interval.low == pytest.approx(known.intercept - reach * known.intercept_stderr)
    assert line.r_squared == pytest.approx(known.rvalue**2)


def test_residuals_are_what_the_line_leaves() -> None:
    line = fit_line([0, 1, 2, 3], [0, 1, 0, 1])
    assert line.residuals == pytest.approx(np.array([0, 1, 0, 1]) - line.at([0, 1, 2, 3]))
    assert line.residuals.sum() == pytest.approx(0)


def test_two_points_have_a_line_and_no_intervals() -> None:
    line = fit_line([1, 2], [10, 20])
    assert (line.slope, line.intercept) == (Estimate(10, None, 2), Estimate(0, None, 2))


def test_points_over_one_x_have_no_line() -> None:
    with pytest.raises(TooFewSamples):
        fit_line([5, 5, 5], [1, 2, 3])


def test_equal_y_leave_r_squared_undefined() -> None:
    assert fit_line([1, 2, 3], [4, 4, 4]).r_squared is None


def test_an_intercept_of_large_messages_is_no_latency() -> None:
    size, seconds = np.loadtxt(PUBLISHED / "mpi_pingpong_raw.csv", delimiter=",", skiprows=1, unpack=True)
    line = fit_line(size, seconds)
    assert not intercept_agrees(line, Estimate(1.5e-6, Interval(1.2e-6, 1.8e-6), 1000))
    assert not intercept_agrees(line, Estimate(0.0023, None, 1))
    assert intercept_agrees(line, Estimate(0.0023, Interval(0.0022, 0.0024), 1000))
