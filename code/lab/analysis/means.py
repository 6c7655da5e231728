"""Means of rates and of ratios, for which the arithmetic mean is wrong (Hoefler & Belli, rules 3 and 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.samples import BadSample, Floats, check_pairs, check_samples


def mean_rate(amounts: ArrayLike, durations: ArrayLike) -> float:
    """The rate of the whole: all that was moved over all the time it took, a weighted harmonic mean of the rates."""
    moved, times = check_pairs(amounts, durations, least=1)
    return float(moved.sum() / _positive(times).sum())


def geometric_mean(ratios: ArrayLike) -> float:
    """The mean of ratios, the same whichever side is the base; ratios must be above 0."""
    return float(np.exp(np.log(_positive(check_samples(ratios))).mean()))


def _positive(samples: Floats) -> Floats:
    if samples.min() <= 0:
        index = int(np.argmin(samples))
        raise BadSample(f"sample {index} is {samples[index]}, not above 0", index=index)
    return samples
