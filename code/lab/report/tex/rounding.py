"""The digits that a number may show: no finer than its interval, no more than a reader can use."""

from __future__ import annotations

from math import floor, log10

from lab.analysis.estimate import Estimate

# Significant digits of a measured number with an interval, and of one without.
WITH_INTERVAL, WITHOUT_INTERVAL = 4, 3
# An uncertainty is stated to two digits at most (JCGM 100:2008, GUM, 7.2.6), so its value to no finer place.
DIGITS_OF_UNCERTAINTY = 2


def last_place(estimate: Estimate) -> int:
    """The power of ten of the last digit to show: that of the first digit of the interval's half width."""
    leading = _leading(estimate.value)
    digits = WITH_INTERVAL if estimate.interval else WITHOUT_INTERVAL
    finest = leading - digits + 1
    half = estimate.interval.width / 2 if estimate.interval else 0.0
    return min(max(_leading(half), finest), leading) if half else finest


def finest_place(estimate: Estimate) -> int | None:
    """The power of ten below which digits mean nothing; None where the samples don't differ."""
    if estimate.interval is None:
        return _leading(estimate.value) - WITHOUT_INTERVAL + 1
    half = estimate.interval.width / 2
    return _leading(half) - DIGITS_OF_UNCERTAINTY + 1 if half else None


def _leading(value: float) -> int:
    return floor(log10(abs(value))) if value else 0
