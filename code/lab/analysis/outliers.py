"""Outliers: marked for the reader, never dropped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.analysis.samples import check_samples

# B. Iglewicz and D. C. Hoaglin, "How to Detect and Handle Outliers" (1993): 0.6745 is the normal
# distribution's third quartile, which makes the score one of standard deviations; beyond 3.5 a sample is marked.
QUARTILE = 0.6745
CUTOFF = 3.5
# Mean absolute deviation of a normal distribution in standard deviations: sqrt(2/pi).
MEAN_DEVIATION = 0.797885


@dataclass(frozen=True)
class Outliers:
    """`marked[i]` is true where sample i is an outlier."""

    marked: NDArray[np.bool_]
    count: int
    low: float
    high: float


def mark_outliers(values: ArrayLike, cutoff: float = CUTOFF) -> Outliers:
    """Marks the samples whose modified z-score is beyond the cutoff.

    Estimator: 0.6745 (x - median) / MAD. Where more than half of the samples are equal the MAD is 0, and the mean
    absolute deviation takes its place, so that a sample that stands out is still seen. Assumes one hump.
    Source: Iglewicz & Hoaglin.
    """
    samples = check_samples(values)
    median = float(np.median(samples))
    deviations = np.abs(samples - median)
    sigma = float(np.median(deviations)) / QUARTILE or float(deviations.mean()) / MEAN_DEVIATION
    marked = deviations > cutoff * sigma
    return Outliers(marked, int(marked.sum()), median - cutoff * sigma, median + cutoff * sigma)
