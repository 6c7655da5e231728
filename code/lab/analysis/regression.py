"""A straight line through points: slope and intercept with intervals, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.distributions import student
from lab.analysis.estimate import LEVEL, Estimate, Interval
from lab.analysis.samples import Floats, TooFewSamples, check_pairs


@dataclass(frozen=True)
class Line:
    """y = intercept + slope x, fitted over `low`..`high`; `r_squared` is None where all y are equal."""

    slope: Estimate
    intercept: Estimate
    r_squared: float | None
    low: float
    high: float
    residuals: Floats
    n: int

    def at(self, x: ArrayLike) -> Floats:
        """The line's y at these x."""
        return np.asarray(self.intercept.value + self.slope.value * np.asarray(x, dtype=np.float64))


def fit_line(x: ArrayLike, y: ArrayLike, level: float = LEVEL) -> Line:
    """The least-squares line of y on x.

    Estimator: ordinary least squares with Student intervals on n - 2 degrees of freedom; two points leave none.
    Assumes independent errors of one variance around a line: look at the residuals. Source: N. R. Draper and H. Smith,
    Applied Regression Analysis (1998), chapter 1.
    """
    xs, ys = check_pairs(x, y, least=2)
    from_mean = xs - xs.mean()
    spread = float(from_mean @ from_mean)
    if spread == 0:
        raise TooFewSamples("a line needs two different x", needed=2, found=1)
    slope = float(from_mean @ (ys - ys.mean())) / spread
    intercept = float(ys.mean() - slope * xs.mean())
    residuals = ys - (intercept + slope * xs)
    slope_error, intercept_error = _standard_errors(xs, residuals, spread)
    return Line(
        slope=_with_interval(slope, slope_error, xs.size, level),
        intercept=_with_interval(intercept, intercept_error, xs.size, level),
        r_squared=_r_squared(ys, residuals),
        low=float(xs.min()),
        high=float(xs.max()),
        residuals=residuals,
        n=xs.size,
    )


def intercept_agrees(line: Line, measured: Estimate) -> bool:
    """Whether an intercept may be called a latency: small messages were measured, and the intervals overlap.

    An intercept is an extrapolation to messages that were not sent; alone it is no latency, however well the line fits.
    """
    if line.intercept.interval is None or measured.interval is None:
        return False
    return line.intercept.interval.overlaps(measured.interval)


def _standard_errors(xs: Floats, residuals: Floats, spread: float) -> tuple[float, float]:
    variance = float(residuals @ residuals) / (xs.size - 2) if xs.size > 2 else 0.0
    return float(np.sqrt(variance / spread)), float(np.sqrt(variance * (1 / xs.size + xs.mean() ** 2 / spread)))


def _with_interval(value: float, error: float, n: int, level: float) -> Estimate:
    if n < 3:
        return Estimate(value, None, n)
    reach = student((1 + level) / 2, n - 2) * error
    return Estimate(value, Interval(value - reach, value + reach, level), n)


def _r_squared(ys: Floats, residuals: Floats) -> float | None:
    total = float(np.square(ys - ys.mean()).sum())
    return 1 - float(residuals @ residuals) / total if total else None
