"""Round trips: their distribution at one size, and their median against the size."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.summary import estimate_median
from lab.figures import BySize, Curve, Distribution, Latency, latency, round_trip
from lab.report.claim import Ledger
from lab.report.claims.latency import QUANTILES, Trips, round_trips, trips
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.pictures.picture import Picture
from lab.report.tex.units import in_words


def by_latency(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """The distributions of all series at the smallest size, and all medians."""
    del ledger
    curves = [round_trips(evidence, each) for each in evidence.all_series("latency")]
    if not curves:
        return
    site, medians = evidence.plan.site.name, tuple(_medians(curve) for curve in curves)
    caption = "Median round trip against message size."
    yield Picture("round_trip", caption, BySize("round_trip", medians, site), round_trip)
    size = min(size for curve in curves for size in curve.sizes)
    shown = [(curve, each) for curve in curves for each in trips(curve) if each.size == size]
    if shown:
        data = Latency("latency", "round trip", tuple(_distribution(*each) for each in shown), site)
        caption = f"Distribution of the round trip, messages of {in_words(size)}, all repetitions together."
        yield Picture("latency", caption, data, latency)


def _medians(curve: Subject) -> Curve:
    estimates = tuple(estimate_median(curve.values(size)) for size in curve.sizes)
    return Curve(curve.words, tuple(map(float, curve.sizes)), estimates, curve.keys(curve.sizes))


def _distribution(curve: Subject, trips: Trips) -> Distribution:
    samples = tuple(float(trip) for each in trips.by_repetition for trip in each)
    found = ((quantile, trips.quantile(quantile)) for quantile in (0.5, *QUANTILES))
    marks = tuple((quantile, estimate) for quantile, estimate in found if estimate)
    return Distribution(curve.words, samples, marks, curve.keys([trips.size]))
