"""Round trips: the time of a message, the quantiles that a trial's samples support."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from lab.experiment.experiment import Series
from lab.programs.program import Sample
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.topics.lines import Times

ROUND_TRIP = "round_trip_ns"


@dataclass(frozen=True)
class Trips:
    """The round trips of one size, in ns, of each repetition that kept them one by one."""

    size: int
    by_repetition: tuple[tuple[int, ...], ...]


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


def trip_times(curve: Subject) -> Times:
    """The time of a message that nothing else waits for."""
    what = "round trip" if is_fetch(curve.series) else "half round trip"
    rows = tuple(tuple(trip * message_share(curve.series) for trip in row) for row in curve.rows())
    return Times(curve, what, tuple(map(float, curve.sizes)), rows)
