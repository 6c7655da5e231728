"""Ratios of two sets of samples: speed-ups, and one program against another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.estimate import LEVEL, Estimate, Interval
from lab.analysis.ranks import place
from lab.analysis.samples import BadSample, Floats, check_samples

RESAMPLES = 9_999
OF_MANY = 4_999  # of several ratios at once; their ranks are sorted twice
# Below this many samples on either side the bootstrap's 95 % interval holds the truth too seldom (88 % at 3).
LEAST = 6


def ratio_of_medians(samples: ArrayLike, base: ArrayLike, level: float = LEVEL, seed: int = 1) -> Estimate:
    """median(samples) / median(base) with a bootstrap interval; n is that of the smaller side.

    Estimator: percentile bootstrap, each side resampled by itself. Assumes independent samples within and between the
    sides. The same seed gives the same interval. Source: B. Efron and R. Tibshirani, An Introduction to the Bootstrap
    (1993), chapter 13; Hoefler & Belli, rules 1 (name the base) and 7.
    """
    above, below = check_samples(samples), check_samples(base)
    if below.min() <= 0:
        raise BadSample("a base of a ratio must be above 0", index=int(np.argmin(below)))
    value = float(np.median(above) / np.median(below))
    n = min(above.size, below.size)
    if n < LEAST:
        return Estimate(value, None, n)
    random = np.random.default_rng(seed)
    ratios = resampled_medians(above, random) / resampled_medians(below, random)
    low, high = np.quantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, Interval(float(low), float(high), level), n)


def ratios_of_medians(
    sides: Sequence[tuple[ArrayLike, ArrayLike]], level: float = LEVEL, seed: int = 1, resamples: int = OF_MANY
) -> tuple[Estimate, ...]:
    """Ratios of which one may be chosen by its value: the confidence of the intervals is that of all at once.

    Estimator: as ratio_of_medians, but the part that each interval leaves out is so small that in the resamples no
    ratio lies outside of its own in 1 - level of the cases; samples that stand in several ratios are resampled once.
    Source: R. Beran, "Balanced simultaneous confidence sets" (1988). Simulated for 2 to 16 equal points of 6 and 10
    samples, normal, skewed, heavy-tailed and of two humps: the best is judged more than the first in 0.6 to 3.5 % (by
    its own interval alone in up to 15 %); that any of 15 is judged different takes 5 to 10 % at six samples.
    """
    checked = [(_key(above), _key(below)) for above, below in sides]
    random = np.random.default_rng(seed)
    medians = {key: resampled_medians(np.array(key), random, resamples) for pair in checked for key in pair}
    judged = [pair for pair in checked if min(map(len, pair)) >= LEAST]
    ends = iter(_balanced([medians[above] / medians[below] for above, below in judged], level))
    return tuple(
        Estimate(
            float(np.median(above) / np.median(below)),
            next(ends) if min(len(above), len(below)) >= LEAST else None,
            min(len(above), len(below)),
        )
        for above, below in checked
    )


def _key(samples: ArrayLike) -> tuple[float, ...]:
    checked = check_samples(samples)
    if checked.min() <= 0:
        raise BadSample("a side of a ratio must be above 0", index=int(np.argmin(checked)))
    return tuple(checked.tolist())


def _balanced(ratios: list[Floats], level: float) -> list[Interval]:
    """The same ranks of each row of resampled ratios; in `level` of the columns all rows lie within them at once."""
    if not ratios:
        return []
    ordered = np.sort(np.stack(ratios), axis=1)
    ranks = np.argsort(np.argsort(np.stack(ratios), axis=1, kind="stable"), axis=1)
    low = int(np.floor(np.quantile(ranks.min(axis=0), (1 - level) / 2)))
    high = int(np.ceil(np.quantile(ranks.max(axis=0), (1 + level) / 2)))
    return [Interval(float(row[low]), float(row[high]), level) for row in ordered]


def resampled_medians(samples: Floats, random: np.random.Generator, count: int = RESAMPLES) -> Floats:
    """Medians of `count` resamples, drawn without making the resamples.

    The middle of n draws with replacement is the sample at a rank that follows from a Beta variate (the middle order
    statistic of n uniform ones; for an even n also the next), so the cost is a selection instead of n draws
    a resample. Source: J. S. Maritz and R. G. Jarrett, "A Note on Estimating the Variance of the Sample Median" (1978).
    """
    n = samples.size
    middle = (n + 1) // 2
    lower = random.beta(middle, n - middle + 1, count)
    uppermost = 1 - (1 - lower) * random.random(count) ** (1 / max(n - middle, 1))
    upper = lower if n % 2 else uppermost
    ranks = np.minimum((np.stack([lower, upper]) * n).astype(np.int64), n - 1)
    first, last = int(ranks.min()), int(ranks.max())
    near = np.sort(place(samples, (first, last))[first : last + 1])
    medians: Floats = near[ranks - first].mean(axis=0)
    return medians
