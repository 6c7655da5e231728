"""Times of messages: round trips, the calls of each end, and the lines through times against sizes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import stdev

from lab.analysis.estimate import Estimate, Interval, estimate_median
from lab.analysis.lines import Line, Pieces, find_pieces, fit_line
from lab.experiment.experiment import Series
from lab.programs.program import ONE_WAY
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.tex.numbers import NANO

ROUND_TRIP = "round_trip_ns"


@dataclass(frozen=True)
class Times:
    """The time of a message in ns: a row over the sizes from each repetition."""

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
        return Times(tuple(self.sizes[column] for column in columns), rows)


def message_times(curve: Subject) -> Times:
    """The time per message with many in flight: the reciprocal of the message rate."""
    rows = (tuple(size / rate / NANO for size, rate in zip(curve.sizes, row, strict=True)) for row in curve.rows())
    return Times(tuple(map(float, curve.sizes)), tuple(rows))


def trip_times(curve: Subject) -> Times:
    """The time of a message with no other in flight."""
    rows = (tuple(trip * message_share(curve.series) for trip in row) for row in curve.rows())
    return Times(tuple(map(float, curve.sizes)), tuple(rows))


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """The same estimate in another unit."""
    interval = estimate.interval
    ends = interval and Interval(interval.low * factor, interval.high * factor, interval.level)
    return Estimate(estimate.value * factor, ends, estimate.n)


def is_fetch(series: Series) -> bool:
    """Whether the series is a READ, whose data are there after the whole round trip."""
    return series.operation == "read"


def message_share(series: Series) -> float:
    """The part of a round trip that one message takes: half of it, and of a READ the whole."""
    return 1.0 if is_fetch(series) else 0.5


def round_trips(evidence: Evidence, series: Series) -> Subject:
    """The curve of a series that measures latency."""
    return Subject(evidence, series, ROUND_TRIP, {})


@dataclass(frozen=True)
class Trips:
    """The round trips of one size, in ns, of each repetition that kept them one by one."""

    size: int
    by_repetition: tuple[tuple[int, ...], ...]


def trips(curve: Subject) -> Iterator[Trips]:
    """The raw samples of each size; none for a reference tool that prints only a summary."""
    repetitions = []
    for samples in curve.evidence.samples(curve.series.name).values():
        by_size = defaultdict[int, list[int]](list)
        for sample in samples:
            if sample.sample == "round_trip":
                by_size[sample.size_bytes].append(sample.time_ns)
        repetitions.append(by_size)
    for size in curve.sizes:
        if all(size in by_size for by_size in repetitions):
            yield Trips(size, tuple(tuple(by_size[size]) for by_size in repetitions))


def series_of_sides(evidence: Evidence) -> tuple[Series, ...]:
    """The series in which each end times its calls."""
    return tuple(series for series in evidence.plan.experiment.series if series.measure == ONE_WAY)


def calls(curve: Subject, side: str, size: int) -> list[list[int]]:
    """The times of one end's calls in each repetition, in their order, in ns."""
    records = curve.evidence.samples(curve.series.name, curve.point).values()
    return [[s.time_ns for s in samples if (s.sample, s.size_bytes) == (side, size)] for samples in records]


def deviation(times_ns: list[list[int]]) -> Estimate:
    """The median over repetitions of the standard deviation within each, in seconds."""
    return scaled(estimate_median([stdev(repetition) for repetition in times_ns]), NANO)
