"""Quantiles of distributions by scipy.special: scipy.stats gives the same numbers, and takes a second to load.

It is loaded by who computes one: a report of claims that are kept needs none.
"""

from __future__ import annotations

from functools import cache
from math import ceil


def student(probability: float, freedom: float) -> float:
    """A quantile of Student's t."""
    from scipy import special

    return float(special.stdtrit(freedom, probability))


def fisher(probability: float, above: float, below: float) -> float:
    """A quantile of F with these degrees of freedom of the numerator and of the denominator."""
    from scipy import special

    return float(special.fdtri(above, below, probability))


@cache
def binomial(probability: float, n: int, chance: float) -> int:
    """The least k such that at most k of n trials succeed with at least this probability."""
    from scipy import special

    successes = ceil(float(special.bdtrik(probability, n, chance)))
    if successes > 0 and special.bdtr(successes - 1, n, chance) >= probability:
        return successes - 1  # the inverse is rounded
    return max(0, successes)
