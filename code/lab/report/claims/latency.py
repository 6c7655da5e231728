"""Claims about round trips: their median and the quantiles that a trial's own samples support."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_median, summarize
from lab.model.sizes import format_size
from lab.report.claim import Claim, Kind
from lab.report.claims.lines import Times, scaled
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.tex.units import NANO, in_words
from lab.spec.experiment import Series

ROUND_TRIP = "round_trip_ns"
QUANTILES = {0.95: "p95", 0.99: "p99"}


@dataclass(frozen=True)
class Trips:
    """The round trips of one size, in ns, of each repetition that kept them one by one."""

    size: int
    by_repetition: tuple[tuple[int, ...], ...]

    def quantile(self, quantile: float) -> Estimate | None:
        """The median over repetitions of each one's own quantile: trips within a trial are not independent."""
        found = [summarize(each).quantiles.get(quantile) for each in self.by_repetition]
        values = [each.value for each in found if each]
        return estimate_median(values) if values and len(values) == len(found) else None


def round_trips(evidence: Evidence, series: Series) -> Subject:
    """The curve of a series that measures latency."""
    return Subject(evidence, series, ROUND_TRIP, {})


def trips(curve: Subject) -> Iterator[Trips]:
    """The raw samples of each size; none for a peer that prints only a summary."""
    samples = list(curve.evidence.samples(curve.series.name).values())
    for size in curve.sizes:
        rows = [[s.time_ns for s in each if (s.sample, s.size_bytes) == ("round_trip", size)] for each in samples]
        if all(rows):
            yield Trips(size, tuple(map(tuple, rows)))


def latency_claims(curve: Subject) -> Iterator[Claim]:
    """The median round trip at each size, and its quantiles."""
    for size in curve.sizes:
        name, about = f"{curve.name}.{format_size(size)}", f"round trip of {curve.words}, messages of {in_words(size)}"
        median = scaled(estimate_median(curve.values(size)), NANO)
        yield curve.claim(f"{name}.round_trip", median, "s", Kind.RATE, f"median {about}", size)
        half = scaled(median, 0.5)
        yield curve.claim(f"{name}.half_trip", half, "s", Kind.RATE, f"half of the median {about}", size)
    for each in trips(curve):
        name, about = f"{curve.name}.{format_size(each.size)}", f"of the round trips of {curve.words}"
        for quantile, short in QUANTILES.items():
            if found := each.quantile(quantile):
                meaning = f"{quantile:.0%} quantile {about}, messages of {in_words(each.size)}"
                yield curve.claim(f"{name}.{short}", scaled(found, NANO), "s", Kind.RATE, meaning, each.size)


def trip_times(curve: Subject) -> Times:
    """Half of the round trip: the time of a message that nothing else waits for."""
    rows = tuple(tuple(trip / 2 for trip in row) for row in curve.rows())
    return Times(curve, "half round trip", tuple(map(float, curve.sizes)), rows)
