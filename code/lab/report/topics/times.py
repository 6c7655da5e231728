"""Times of messages: round trips, the calls of each end, and the lines through times against sizes."""

from dataclasses import dataclass
from statistics import stdev

from lab.analysis.estimate import Estimate, Interval, estimate_median
from lab.analysis.lines import Line, fit_line
from lab.experiment.experiment import Series
from lab.report.evidence.curve import Subject
from lab.report.tex.numbers import NANO

ROUND_TRIP = "round_trip_ns"


@dataclass(frozen=True)
class Times:
    """The time of a message in ns: a row over the sizes from each repetition."""

    sizes: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]

    def line(self) -> Line:
        return fit_line(self.sizes, self.rows)

    def between(self, low: float, high: float) -> "Times":
        columns = [column for column, size in enumerate(self.sizes) if low <= size <= high]
        rows = tuple(tuple(row[column] for column in columns) for row in self.rows)
        return Times(tuple(self.sizes[column] for column in columns), rows)


def scaled(estimate: Estimate, factor: float) -> Estimate:
    interval = estimate.interval
    ends = interval and Interval(interval.low * factor, interval.high * factor, interval.level)
    return Estimate(estimate.value * factor, ends, estimate.n)


def is_fetch(series: Series) -> bool:
    """Whether the series is a READ, whose data have arrived after the whole round trip."""
    return series.operation == "read"


def is_whole(series: Series) -> bool:
    """Whether a time counts as it was measured: of a READ, and of what several computers do together."""
    return is_fetch(series) or series.tool.together


def message_share(series: Series) -> float:
    """The part of the measured time that one message takes: half of a round trip, or the whole."""
    return 1.0 if is_whole(series) else 0.5


def samples_of(curve: Subject, kind: str, size: int) -> list[list[int]]:
    """The times of single calls or round trips in each repetition, in their order, in ns."""
    records = curve.evidence.samples(curve.series.name, curve.point).values()
    return [[s.time_ns for s in samples if (s.sample, s.size_bytes) == (kind, size)] for samples in records]


def round_trips(curve: Subject, size: int) -> list[list[int]]:
    """The round trips of each repetition; empty for a reference tool that prints only a summary."""
    trips = samples_of(curve, "round_trip", size)
    return trips if all(trips) else []


def deviation(times_ns: list[list[int]]) -> Estimate:
    """The median over repetitions of the standard deviation within each, in seconds."""
    return scaled(estimate_median([stdev(repetition) for repetition in times_ns]), NANO)
