"""A straight line through points: slope and intercept with intervals, and what they rest on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.estimate import LEVEL, Estimate
from lab.analysis.reproducible import dot
from lab.analysis.samples import Floats, TooFewSamples, check_rows
from lab.analysis.summary import estimate_mean


@dataclass(frozen=True)
class Line:
    """y = intercept + slope x, fitted over `low`..`high`; `r_squared` is None where all y are equal."""

    slope: Estimate  # its n counts repetitions, as the intercept's does
    intercept: Estimate
    r_squared: float | None
    low: float
    high: float
    residuals: Floats  # one repetition after the other
    n: int  # points

    def at(self, x: ArrayLike) -> Floats:
        """The line's y at these x."""
        return np.asarray(self.intercept.value + self.slope.value * np.asarray(x, dtype=np.float64))


def fit_line(x: ArrayLike, y: ArrayLike, level: float = LEVEL) -> Line:
    """The least-squares line of each repetition, a row of y over the x, and the mean of these lines.

    Estimator: ordinary least squares in every row, Student's interval over the rows' slopes and over their intercepts.
    An effect of one repetition, or dependent errors of neighbouring x, move its line as a whole, so the interval
    includes them. Points of one repetition are no repetitions, so a single row has no interval.
    Assumes independent repetitions; holds at 95 % from two of them on, whatever their variances. Source: R. Ibragimov
    and U. K. Mueller, "t-Statistic Based Correlation and Heterogeneity Robust Inference" (2010).
    """
    xs, rows = check_rows(x, y, least=2)
    from_mean = xs - xs.mean()
    spread = float(dot(from_mean, from_mean))
    if spread == 0:
        raise TooFewSamples("a line needs two different x", needed=2, found=1)
    slopes = dot(rows - rows.mean(axis=1, keepdims=True), from_mean) / spread
    slope = estimate_mean(slopes, level)
    intercept = estimate_mean(rows.mean(axis=1) - slopes * xs.mean(), level)
    residuals = (rows - (intercept.value + slope.value * xs)).reshape(-1)
    r_squared = _r_squared(rows.reshape(-1), residuals)
    return Line(slope, intercept, r_squared, float(xs.min()), float(xs.max()), residuals, rows.size)


def _r_squared(ys: Floats, residuals: Floats) -> float | None:
    total = float(np.square(ys - ys.mean()).sum())
    return 1 - float(dot(residuals, residuals)) / total if total else None
