"""The digits that a number may show: no finer than its interval, no more than a reader can use."""

from __future__ import annotations

from math import floor, log10

from lab.analysis.estimate import Estimate

# Significant digits of a measured number with an interval, and of one without.
WITH_INTERVAL, WITHOUT_INTERVAL = 4, 3


def last_place(estimate: Estimate) -> int:
    """The power of ten of the last digit to show: that of the first digit of the interval's half width."""
    leading = _leading(estimate.value)
    digits = WITH_INTERVAL if estimate.interval else WITHOUT_INTERVAL
    finest = leading - digits + 1
    half = estimate.interval.width / 2 if estimate.interval else 0.0
    return min(max(_leading(half), finest), leading) if half else finest


def _leading(value: float) -> int:
    return floor(log10(abs(value))) if value else 0
