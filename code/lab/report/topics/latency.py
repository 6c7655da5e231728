"""Round trips: the time of a message, the quantiles that a trial's samples support."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_median, supported_quantile
from lab.programs.request import Sample
from lab.report.answer import Answer
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.tex.units import NANO
from lab.report.topics.lines import Times, scaled
from lab.spec.experiment import Series

ROUND_TRIP = "round_trip_ns"
QUANTILES = {0.95: "p95", 0.99: "p99"}


@dataclass(frozen=True)
class Trips:
    """The round trips of one size, in ns, of each repetition that kept them one by one."""

    size: int
    by_repetition: tuple[tuple[int, ...], ...]

    def quantile(self, quantile: float) -> Estimate | None:
        """The median over repetitions of each repetition's quantile: trips within a trial are not independent."""
        found = [supported_quantile(trips, quantile) for trips in self.by_repetition]
        values = [estimate.value for estimate in found if estimate]
        return estimate_median(values) if values and len(values) == len(found) else None


def round_trips(evidence: Evidence, series: Series) -> Subject:
    """The curve of a series that measures latency."""
    return Subject(evidence, series, ROUND_TRIP, {})


def trips(curve: Subject) -> Iterator[Trips]:
    """The raw samples of each size; none for a reference tool that prints only a summary."""
    records = [_by_size(samples) for samples in curve.evidence.samples(curve.series.name).values()]
    for size in curve.sizes:
        if all(size in record for record in records):
            yield Trips(size, tuple(tuple(record[size]) for record in records))


def _by_size(samples: tuple[Sample, ...]) -> dict[int, list[int]]:
    found = defaultdict[int, list[int]](list)
    for sample in samples:
        if sample.sample == "round_trip":
            found[sample.size_bytes].append(sample.time_ns)
    return found


def is_fetch(series: Series) -> bool:
    """Whether the series is a READ, whose data are there after the whole round trip."""
    return series.operation == "read"


def message_share(series: Series) -> float:
    """The part of a round trip that one message takes: half of it, and of a READ the whole."""
    return 1.0 if is_fetch(series) else 0.5


def message_time(curve: Subject, size: int) -> Answer:
    """The time of a message: half of the median round trip, or the whole of a READ."""
    median = estimate_median(curve.values(size))
    return curve.answer(scaled(median, message_share(curve.series) * NANO), "s", size)


def trip_times(curve: Subject) -> Times:
    """The time of a message that nothing else waits for."""
    what = "round trip" if is_fetch(curve.series) else "half round trip"
    rows = tuple(tuple(trip * message_share(curve.series) for trip in row) for row in curve.rows())
    return Times(curve, what, tuple(map(float, curve.sizes)), rows)
