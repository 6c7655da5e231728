"""Order statistics: which ranks bound a quantile, and the samples at given ranks in linear time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lab.analysis.distributions import binomial
from lab.analysis.estimate import LEVEL, Estimate, Interval
from lab.analysis.samples import Floats


def interval_ranks(n: int, quantile: float, level: float = LEVEL) -> tuple[int, int] | None:
    """Ranks (from 0) of the samples that bound the quantile with at least this confidence, None if n is too small.

    Estimator: order statistics with binomial ranks, half of the error at either end. Assumes independent samples of
    one distribution, of any shape. Source: J.-Y. Le Boudec, Performance Evaluation of Computer and Communication
    Systems (2010), Theorem 2.1; Hoefler & Belli, rules 5 and 6.
    """
    tail = (1 - level) / 2
    low = binomial(tail, n, quantile) - 1
    high = binomial(1 - tail, n, quantile)
    return (low, high) if low >= 0 and high < n else None


def place(samples: Floats, ranks: Iterable[int]) -> Floats:
    """A copy in which every named rank holds the sample that a full sort would put there; linear in n."""
    return np.partition(samples, sorted(set(ranks)))


def estimate_quantiles(samples: Floats, quantiles: Iterable[float], level: float = LEVEL) -> dict[float, Estimate]:
    """Each quantile with its interval by ranks, all from one selection.

    Estimator: linear interpolation between order statistics, type 7 of R. J. Hyndman and Y. Fan, "Sample Quantiles in
    Statistical Packages" (1996), which at 0.5 is the usual median.
    """
    n = samples.size
    bounds = {quantile: interval_ranks(n, quantile, level) for quantile in quantiles}
    wanted = {rank for pair in bounds.values() if pair for rank in pair}
    for quantile in bounds:
        lower = int(np.floor((n - 1) * quantile))
        wanted |= {lower, min(lower + 1, n - 1)}
    placed = place(samples, wanted)
    return {quantile: _at(placed, quantile, pair, level) for quantile, pair in bounds.items()}


def _at(placed: Floats, quantile: float, pair: tuple[int, int] | None, level: float) -> Estimate:
    position = (placed.size - 1) * quantile
    lower = int(np.floor(position))
    upper = min(lower + 1, placed.size - 1)
    value = placed[lower] + (placed[upper] - placed[lower]) * (position - lower)
    interval = Interval(float(placed[pair[0]]), float(placed[pair[1]]), level) if pair else None
    return Estimate(float(value), interval, placed.size)
