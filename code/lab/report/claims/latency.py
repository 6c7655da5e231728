"""Claims about round trips: their median and the quantiles that a trial's own samples support."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_median, supported_quantile
from lab.model.sizes import format_size
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.lines import FitClaims, Times, fit_claims, scaled
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
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
        found = [supported_quantile(each, quantile) for each in self.by_repetition]
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


@dataclass(frozen=True)
class TripClaims(ClaimGroup):
    """The median round trip of one size, and half of it."""

    round_trip: Claim
    half_trip: Claim


@dataclass(frozen=True)
class QuantileClaims(ClaimGroup):
    """The round trips of one size, and the quantiles that every repetition supports, of them and of their halves."""

    trips: Trips
    by_quantile: dict[float, Claim]
    halves: dict[float, Claim]


@dataclass(frozen=True)
class LineFits(ClaimGroup):
    """Lines through the times of all sizes, and of the larger half of them."""

    whole: FitClaims
    upper: FitClaims


@dataclass(frozen=True)
class LatencyClaims(ClaimGroup):
    """A series that measures round trips; a line is laid only through those of our programs."""

    curve: Subject
    by_size: dict[int, TripClaims]
    quantiles: tuple[QuantileClaims, ...]
    fits: LineFits | None


def latency_claims(curve: Subject) -> LatencyClaims:
    """The median round trip at each size, its quantiles, and the lines."""
    by_size = {size: _of_size(curve, size) for size in curve.sizes}
    quantiles = tuple(QuantileClaims(each, _quantiles(curve, each), _halves(curve, each)) for each in trips(curve))
    return LatencyClaims(curve, by_size, quantiles, latency_fits(curve.evidence).get(curve.series.name))


def latency_fits(evidence: Evidence) -> dict[str, LineFits]:
    """The curves by series of our programs with enough sizes for a line."""
    return evidence.once(_latency_fits)


def _latency_fits(evidence: Evidence) -> dict[str, LineFits]:
    found = {}
    for series in (each for each in evidence.all_series("latency") if is_ours(each)):
        times = trip_times(round_trips(evidence, series))
        whole, upper = fit_claims(times), fit_claims(times.upper())
        if whole and upper:
            found[series.name] = LineFits(whole, upper)
    return found


def _of_size(curve: Subject, size: int) -> TripClaims:
    name, about = f"{curve.name}.{format_size(size)}", f"round trip of {curve.words}, messages of {in_words(size)}"
    median = scaled(estimate_median(curve.values(size)), NANO)
    half = scaled(median, 0.5)
    return TripClaims(
        curve.claim(f"{name}.round_trip", median, "s", ClaimKind.RATE, f"median {about}", size),
        curve.claim(f"{name}.half_trip", half, "s", ClaimKind.RATE, f"half of the median {about}", size),
    )


def _quantiles(curve: Subject, trips: Trips) -> dict[float, Claim]:
    about = f"of the round trips of {curve.words}"
    return {quantile: _quantile(curve, trips, quantile, "", 1.0, about) for quantile in _supported(trips)}


def _halves(curve: Subject, trips: Trips) -> dict[float, Claim]:
    about = f"of half of the round trips of {curve.words}"
    return {quantile: _quantile(curve, trips, quantile, "half_", 0.5, about) for quantile in _supported(trips)}


def _supported(trips: Trips) -> list[float]:
    return [quantile for quantile in QUANTILES if trips.quantile(quantile)]


def _quantile(curve: Subject, trips: Trips, quantile: float, prefix: str, part: float, about: str) -> Claim:
    found = trips.quantile(quantile)
    assert found
    name = f"{curve.name}.{format_size(trips.size)}.{prefix}{QUANTILES[quantile]}"
    meaning = f"{quantile:.0%} quantile {about}, messages of {in_words(trips.size)}"
    return curve.claim(name, scaled(found, part * NANO), "s", ClaimKind.RATE, meaning, trips.size)


def trip_times(curve: Subject) -> Times:
    """Half of the round trip: the time of a message that nothing else waits for."""
    rows = tuple(tuple(trip / 2 for trip in row) for row in curve.rows())
    return Times(curve, "half round trip", tuple(map(float, curve.sizes)), rows)
