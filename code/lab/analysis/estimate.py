"""Estimates from samples: medians, quantiles and their intervals."""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from math import exp, lgamma, log, log1p

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.errors import LabError, plural

Floats = NDArray[np.float64]

LEVEL = 0.95  # the default confidence of intervals
CONVERGED, ROUNDING = 1e-15, 1e-12  # the last change of a continued fraction, and the error of its probability
LARGEST_EXACT = 2**53  # integers up to here are exact as float64: 104 days in nanoseconds


@dataclass(frozen=True)
class Interval:
    """A confidence interval; both ends belong to it."""

    low: float
    high: float
    level: float = LEVEL

    @property
    def width(self) -> float:
        return self.high - self.low

    def contains(self, value: float) -> bool:
        return self.low <= value <= self.high

    def overlaps(self, other: "Interval") -> bool:
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True)
class Estimate:
    """A value of n samples; `interval` is None if n is too small for one."""

    value: float
    interval: Interval | None
    n: int

    def mapped(self, function: Callable[[float], float]) -> "Estimate":
        """Return the estimate of a monotonic function of the value."""
        interval = self.interval
        if interval is not None:
            low, high = sorted((function(interval.low), function(interval.high)))
            interval = Interval(low, high, interval.level)
        return Estimate(function(self.value), interval, self.n)

    def scaled(self, factor: float) -> "Estimate":
        return self.mapped(lambda value: value * factor)


def reciprocal(estimate: Estimate) -> Estimate:
    """Return 1/x, such as a rate from a slope. An interval that contains 0 has no reciprocal."""
    if estimate.interval is not None and estimate.interval.contains(0):
        estimate = replace(estimate, interval=None)
    return estimate.mapped(lambda value: 1 / value if value else float("inf"))


def interval_ranks(n: int, quantile: float) -> tuple[int, int] | None:
    """Return the ranks (from 0) of the samples that bound the quantile at the level of confidence; None for too few.

    Estimator: order statistics with binomial ranks, half of the error at either end. Assumes independent samples of
    one distribution, of any shape. Source: J.-Y. Le Boudec, Performance Evaluation of Computer and Communication
    Systems (2010), Theorem 2.1; Hoefler & Belli, rules 5 and 6.
    """
    tail = (1 - LEVEL) / 2
    low = binomial(tail, n, quantile) - 1
    high = binomial(1 - tail, n, quantile)
    return (low, high) if low >= 0 and high < n else None


def place(samples: Floats, ranks: Iterable[int]) -> Floats:
    """Return a copy in which these ranks hold the samples of a full sort; linear in n."""
    return np.partition(samples, sorted(set(ranks)))


def estimate_quantile(values: ArrayLike, quantile: float) -> Estimate:
    """Estimate a quantile with its interval by ranks.

    Estimator: linear interpolation between order statistics, type 7 of R. J. Hyndman and Y. Fan, "Sample Quantiles in
    Statistical Packages" (1996), which at 0.5 is the usual median.
    """
    samples = check_samples(values)
    bounds, position = interval_ranks(samples.size, quantile), (samples.size - 1) * quantile
    lower = int(np.floor(position))
    upper = min(lower + 1, samples.size - 1)
    placed = place(samples, (lower, upper, *(bounds or ())))
    value = placed[lower] + (placed[upper] - placed[lower]) * (position - lower)
    interval = Interval(float(placed[bounds[0]]), float(placed[bounds[1]])) if bounds else None
    return Estimate(float(value), interval, samples.size)


class TooFewSamples(LabError):
    """A statistic needs more samples."""


class BadSample(LabError):
    """A sample is not a finite number, or too large to be exact."""


def check_samples(values: ArrayLike, least: int = 1) -> Floats:
    """Return the values as a row of floats; raise if there are fewer than `least`, or if a value is not exact."""
    samples = np.asarray(values, dtype=np.float64).reshape(-1)
    if samples.size < least:
        raise TooFewSamples(f"{plural(samples.size, 'sample')} where at least {least} are needed")
    usable = np.abs(samples) <= LARGEST_EXACT  # false for NaN too
    if not usable.all():
        index = int(np.argmin(usable))
        raise BadSample(f"sample {index} is {samples[index]}, not a number below 2^53")
    return samples


def check_pairs(x: ArrayLike, y: ArrayLike, least: int) -> tuple[Floats, Floats]:
    """Return the coordinates of points; raise for different numbers of x and y."""
    xs, ys = check_samples(x, least), check_samples(y, least)
    if xs.size != ys.size:
        raise TooFewSamples(f"{xs.size} x for {ys.size} y")
    return xs, ys


def check_rows(x: ArrayLike, y: ArrayLike, least: int) -> tuple[Floats, Floats]:
    """Return the x, and a row of y for each repetition; y of one dimension are a single repetition."""
    xs, ys = check_samples(x, least), check_samples(y, least)
    rows = np.shape(y)[0] if np.ndim(y) == 2 else 1
    if ys.size != rows * xs.size:
        raise TooFewSamples(f"{ys.size} y for {rows} times {xs.size} x")
    return xs, ys.reshape(rows, xs.size)


def supported_quantile(values: ArrayLike, quantile: float) -> Estimate | None:
    """Estimate a quantile with its interval by ranks; None if n doesn't support it.

    n supports a quantile that has a two-sided interval: from 6 samples for the median, 368 for the 99 % quantile.
    Assumes independent samples: windows of one trial are not, repetitions of a trial are.
    Source: Hoefler & Belli, rules 5, 6 and 8.
    """
    estimate = estimate_quantile(values, quantile)
    return estimate if estimate.interval else None


def estimate_median(values: ArrayLike) -> Estimate:
    """Estimate the median with its interval by ranks; no interval below 6 samples at 95 %."""
    return estimate_quantile(values, 0.5)


def estimate_mean(values: ArrayLike, level: float = LEVEL) -> Estimate:
    """Estimate the mean with Student's interval; assumes that means of n samples are normal. For costs, not rates."""
    samples = check_samples(values)
    mean = float(samples.mean())
    if samples.size == 1:
        return Estimate(mean, None, 1)
    reach = student((1 + level) / 2, samples.size - 1) * float(samples.std(ddof=1)) / np.sqrt(samples.size)
    return Estimate(mean, Interval(mean - float(reach), mean + float(reach), level), samples.size)


@cache
def student(probability: float, freedom: float) -> float:
    """Return a quantile of Student's t, by bisection; rounded, since C libraries differ in the last digits."""
    if probability < 0.5:
        return -student(1 - probability, freedom)
    low, high = 0.0, 1.0
    while _below(high, freedom) < probability:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _below(middle, freedom) < probability else (low, middle)
    return float(f"{high:.12g}")


def _below(t: float, freedom: float) -> float:
    return 1 - beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2


def fisher(probability: float, below: float) -> float:
    """Return a quantile of F with one degree of freedom of the numerator and these of the denominator."""
    return student((1 + probability) / 2, below) ** 2


def beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction.

    Source: NIST Digital Library of Mathematical Functions, 8.17.22, by the method of W. J. Lentz (1976).
    """
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly
        return 1 - beta(1 - x, b, a)
    fraction, above, below = 1.0, 1.0, 0.0
    for i in count(1):
        m, is_odd = divmod(i, 2)
        term = -(a + m) * (a + b + m) if is_odd else m * (b - m)
        term *= x / ((a + i - 1) * (a + i))
        below = 1 / (1 + term * below)
        above = 1 + term / above
        fraction *= above * below
        if abs(above * below - 1) < CONVERGED:
            break
    front = a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)
    return exp(front) / a / fraction


@cache
def binomial(probability: float, n: int, chance: float) -> int:
    """Return the least k such that at most k of n trials succeed with at least this probability."""
    return bisect_left(range(n), probability * (1 - ROUNDING), key=lambda k: beta(1 - chance, n - k, k + 1))
