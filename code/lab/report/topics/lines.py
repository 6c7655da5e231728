"""A straight line through the times of messages: a cost per message and one per byte; or two lines with a break."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from lab.analysis.estimate import Estimate, Interval, reciprocal
from lab.analysis.lines import Line, Pieces, find_pieces, fit_line
from lab.report.answer import Answer
from lab.report.evidence.curve import Subject
from lab.report.tex.numbers import NANO


class Timed(Protocol):
    """The source of the times: a measured series, or another machine's published report."""

    @property
    def name(self) -> str: ...

    @property
    def words(self) -> str: ...

    @property
    def site(self) -> str: ...

    @property
    def sizes(self) -> tuple[int, ...]: ...

    def keys(self, sizes: Iterable[int]) -> tuple[str, ...]: ...

    def answer(self, estimate: Estimate, unit: str, *sizes: int, is_exact: bool = False) -> Answer: ...


@dataclass(frozen=True)
class Times:
    """The time of a message in ns: a row over the sizes from each repetition."""

    curve: Timed
    what: str
    sizes: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]

    def line(self) -> Line:
        return fit_line(self.sizes, self.rows)

    def pieces(self) -> Pieces | None:
        """The two lines that follow these times where a single line does not."""
        return find_pieces(self.sizes, self.rows)

    def between(self, low: float, high: float) -> Times:
        """The times of the sizes in this range."""
        columns = [column for column, size in enumerate(self.sizes) if low <= size <= high]
        rows = tuple(tuple(row[column] for column in columns) for row in self.rows)
        return replace(self, sizes=tuple(self.sizes[column] for column in columns), rows=rows)

    def rate(self) -> Answer | None:
        """1/slope of the line: useful where the times follow it; a line that falls with the size has none."""
        slope = self.line().slope
        return self.answer(scaled(reciprocal(slope), 1 / NANO), "B/s") if slope.value > 0 else None

    def answer(self, estimate: Estimate, unit: str) -> Answer:
        """An answer that rests on all sizes."""
        return self.curve.answer(estimate, unit, *dict.fromkeys(map(int, self.sizes)))


def message_times(curve: Subject) -> Times:
    """The time per message with many in flight: the reciprocal of the message rate."""
    rows = (tuple(size / rate / NANO for size, rate in zip(curve.sizes, row, strict=True)) for row in curve.rows())
    return Times(curve, "time per message", tuple(map(float, curve.sizes)), tuple(rows))


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """The same estimate in another unit."""
    interval = estimate.interval
    ends = interval and Interval(interval.low * factor, interval.high * factor, interval.level)
    return Estimate(estimate.value * factor, ends, estimate.n)
