"""An estimate: a value, the interval that the data leave it, and how many samples it stands on."""

from __future__ import annotations

from dataclasses import dataclass

# The default confidence of intervals.
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A confidence interval; both ends belong to it."""

    low: float
    high: float
    level: float = LEVEL

    @property
    def width(self) -> float:
        return self.high - self.low

    def contains(self, value: float) -> bool:
        return self.low <= value <= self.high

    def overlaps(self, other: Interval) -> bool:
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True)
class Estimate:
    """`interval` is None where n is too small for one at its level: unknown, not zero."""

    value: float
    interval: Interval | None
    n: int


def reciprocal(estimate: Estimate) -> Estimate:
    """1/x of an estimate: a rate from a slope. The interval's ends swap; one that holds 0 has no reciprocal."""
    interval = estimate.interval
    if interval is not None and interval.contains(0):
        interval = None
    inverted = interval and Interval(1 / interval.high, 1 / interval.low, interval.level)
    return Estimate(1 / estimate.value if estimate.value else float("inf"), inverted, estimate.n)
