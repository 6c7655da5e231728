"""Round trips: the time of a message, the quantiles that a trial's samples support, lines beside small messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from lab.analysis.estimate import Estimate
from lab.analysis.regression import intercept_agrees
from lab.analysis.summary import estimate_median, supported_quantile
from lab.programs.request import Sample
from lab.report.answer import Answer
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
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
    """Whether a round trip carries the data back only: those of a READ are there after the whole of it."""
    return series.operation == "read"


def message_share(series: Series) -> float:
    """The part of a round trip that one message takes: half of it, and of a READ the whole."""
    return 1.0 if is_fetch(series) else 0.5


def message_time(curve: Subject, size: int) -> Answer:
    """The time of a message: half of the median round trip, or the whole of a READ."""
    median = estimate_median(curve.values(size))
    return curve.answer(scaled(median, message_share(curve.series) * NANO), "s", size)


def message_quantile(curve: Subject, measured: Trips, quantile: float) -> Answer | None:
    """The same part of a quantile of the round trips; None where some repetition has too few of them."""
    found = measured.quantile(quantile)
    share = message_share(curve.series)
    return curve.answer(scaled(found, share * NANO), "s", measured.size) if found else None


def trip_times(curve: Subject) -> Times:
    """The time of a message that nothing else waits for."""
    what = "round trip" if is_fetch(curve.series) else "half round trip"
    rows = tuple(tuple(trip * message_share(curve.series) for trip in row) for row in curve.rows())
    return Times(curve, what, tuple(map(float, curve.sizes)), rows)


@dataclass(frozen=True)
class LineBeside:
    """A line through the times of large messages, and the small messages that were measured beside them."""

    times: Times
    small: Subject
    is_piece: bool = False  # one of the two lines that follow the times instead

    def small_ns(self) -> Estimate:
        """The time of the smallest message."""
        return scaled(estimate_median(self.small.values(self.small.sizes[0])), message_share(self.small.series))

    def agrees(self) -> bool:
        """Whether the line's intercept could stand for the time of a small message."""
        return intercept_agrees(self.times.line(), self.small_ns())


def lines_beside(evidence: Evidence) -> Iterator[LineBeside]:
    """The lines of each of the lab's series of large messages that has a series of small messages beside it: through
    all sizes and through the larger half, each followed by its two pieces where these fit better."""
    curves = [round_trips(evidence, series) for series in evidence.all_series("latency") if is_ours(series)]
    for large in curves:
        times = trip_times(large)
        for small in (curve for curve in curves if times.are_enough and _is_beside(curve, large)):
            for whole in (times, times.upper()):
                yield LineBeside(whole, small)
                yield from (LineBeside(part, small, is_piece=True) for part in whole.parts())


def _is_beside(small: Subject, large: Subject) -> bool:
    alike = [(of.program, of.operation, of.link, of.soft_roce) for of in (small.series, large.series)]
    return alike[0] == alike[1] and small.sizes[0] < large.sizes[0] and small.sizes[-1] < large.sizes[-1]
