"""Arithmetic with the same last digit on every computer.

A BLAS adds in an order of its own for each processor, and libraries round a logarithm in their own ways. numpy's sums
have one order, its products are exact to the last bit, and decimals with 40 digits leave nothing to round differently.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal, localcontext

import numpy as np

from lab.analysis.samples import Floats

_DIGITS = Context(prec=40)


def dot(left: Floats, right: Floats) -> Floats:
    """The sum of products over the last axis: of two rows, or of each row with the other."""
    total: Floats = np.multiply(left, right).sum(axis=-1)
    return total


def norm(rows: Floats) -> Floats:
    """The length of each row."""
    return np.sqrt(dot(rows, rows))


def all_dots(left: Floats, right: Floats) -> Floats:
    """Each row of the left with each row of the right."""
    total = np.zeros((len(left), len(right)))
    for one, other in zip(left.T, right.T, strict=True):
        total += np.multiply.outer(one, other)
    return total


def geometric_mean(values: Iterable[float]) -> float:
    """Of values above 0."""
    with localcontext(_DIGITS):
        logarithms = [Decimal(value).ln() for value in values]
        return float((sum(logarithms, Decimal()) / len(logarithms)).exp())


def log2(values: Iterable[float]) -> list[float]:
    """Their logarithms to base 2."""
    with localcontext(_DIGITS):
        of_two = Decimal(2).ln()
        return [float(Decimal(value).ln() / of_two) for value in values]


def exp2(value: float) -> float:
    """Two to the power of it."""
    with localcontext(_DIGITS):
        return float(Decimal(2) ** Decimal(value))
