"""A summary: what is said about one set of samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.distributions import student
from lab.analysis.estimate import LEVEL, Estimate, Interval
from lab.analysis.ranks import estimate_quantiles
from lab.analysis.samples import Floats, check_samples

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)


@dataclass(frozen=True)
class Summary:
    """`quantiles` holds only those that n supports; a spread is None where n or the mean leaves it undefined."""

    n: int
    minimum: float
    maximum: float
    median: Estimate
    mean: Estimate
    standard_deviation: float | None
    coefficient_of_variation: float | None
    quantiles: dict[float, Estimate]


def summarize(values: ArrayLike, level: float = LEVEL) -> Summary:
    """Median and mean with intervals, spread, and the quantiles that n supports.

    A quantile is supported when its two-sided interval exists: from 6 samples for the median, 368 for the 99 %
    quantile. Assumes independent samples: windows of one trial are not, repetitions of a trial are.
    Source: Hoefler & Belli, rules 5, 6 and 8.
    """
    samples = check_samples(values)
    quantiles = estimate_quantiles(samples, QUANTILES, level)
    deviation = float(samples.std(ddof=1)) if samples.size > 1 else None
    mean = _estimate_mean(samples, deviation, level)
    return Summary(
        n=samples.size,
        minimum=float(samples.min()),
        maximum=float(samples.max()),
        median=quantiles[0.5],
        mean=mean,
        standard_deviation=deviation,
        coefficient_of_variation=deviation / abs(mean.value) if deviation is not None and mean.value else None,
        quantiles={quantile: found for quantile, found in quantiles.items() if found.interval},
    )


def estimate_median(values: ArrayLike, level: float = LEVEL) -> Estimate:
    """The median and its interval by ranks; no interval below 6 samples at 95 %."""
    return estimate_quantiles(check_samples(values), (0.5,), level)[0.5]


def estimate_mean(values: ArrayLike, level: float = LEVEL) -> Estimate:
    """The arithmetic mean with Student's interval; assumes that means of n samples are normal. For costs, not rates."""
    samples = check_samples(values)
    return _estimate_mean(samples, float(samples.std(ddof=1)) if samples.size > 1 else None, level)


def _estimate_mean(samples: Floats, deviation: float | None, level: float) -> Estimate:
    mean = float(samples.mean())
    if deviation is None:
        return Estimate(mean, None, samples.size)
    reach = student((1 + level) / 2, samples.size - 1) * deviation / np.sqrt(samples.size)
    return Estimate(mean, Interval(mean - float(reach), mean + float(reach), level), samples.size)
