"""The summary of samples: median, mean and the quantiles that n supports."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.distributions import student
from lab.analysis.estimate import LEVEL, Estimate, Interval
from lab.analysis.ranks import estimate_quantiles
from lab.analysis.samples import check_samples


def supported_quantile(values: ArrayLike, quantile: float, level: float = LEVEL) -> Estimate | None:
    """A quantile and its interval by ranks, None where n doesn't support it.

    It is supported when its two-sided interval exists: from 6 samples for the median, 368 for the 99 % quantile.
    Assumes independent samples: windows of one trial are not, repetitions of a trial are.
    Source: Hoefler & Belli, rules 5, 6 and 8.
    """
    found = estimate_quantiles(check_samples(values), (quantile,), level)[quantile]
    return found if found.interval else None


def estimate_median(values: ArrayLike, level: float = LEVEL) -> Estimate:
    """The median and its interval by ranks; no interval below 6 samples at 95 %."""
    return estimate_quantiles(check_samples(values), (0.5,), level)[0.5]


def estimate_mean(values: ArrayLike, level: float = LEVEL) -> Estimate:
    """The arithmetic mean with Student's interval; assumes that means of n samples are normal. For costs, not rates."""
    samples = check_samples(values)
    mean = float(samples.mean())
    if samples.size == 1:
        return Estimate(mean, None, 1)
    reach = student((1 + level) / 2, samples.size - 1) * float(samples.std(ddof=1)) / np.sqrt(samples.size)
    return Estimate(mean, Interval(mean - float(reach), mean + float(reach), level), samples.size)
