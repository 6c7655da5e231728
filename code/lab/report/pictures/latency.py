"""Round trips: their distribution at one size, and their median against the size."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.summary import estimate_median
from lab.figures import BySize, Curve, Distribution, Latency, latency, round_trip
from lab.report.claims.latency import QUANTILES, Trips
from lab.report.claims.ledger import AllClaims
from lab.report.evidence.curve import Subject
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import Sketch
from lab.report.tex.units import in_words


def by_latency(claims: AllClaims) -> Iterator[Sketch[BySize] | Sketch[Latency]]:
    """The distributions of all series at the smallest size, and all medians."""
    found = claims.latencies.values()
    if not found:
        return
    site, medians = claims.evidence.plan.site.name, tuple(_medians(each.curve) for each in found)
    caption = "Median round trip against message size."
    yield Sketch("round_trip", caption, BySize("round_trip", medians, site), round_trip)
    size = min(size for each in found for size in each.by_size)
    shown = [(each.curve, kept.trips) for each in found for kept in each.quantiles if kept.trips.size == size]
    if shown:
        data = Latency("latency", "round trip", tuple(_distribution(*each) for each in shown), site)
        caption = f"Distribution of the round trip, messages of {in_words(size)}, all repetitions together."
        yield Sketch("latency", caption, data, latency)


def _medians(curve: Subject) -> Curve:
    estimates = tuple(estimate_median(curve.values(size)) for size in curve.sizes)
    keys = curve.keys(curve.sizes)
    return Curve(curve.words, tuple(map(float, curve.sizes)), estimates, keys, colour=colour(curve.series))


def _distribution(curve: Subject, trips: Trips) -> Distribution:
    samples = tuple(float(trip) for each in trips.by_repetition for trip in each)
    found = ((quantile, trips.quantile(quantile)) for quantile in (0.5, *QUANTILES))
    marks = tuple((quantile, estimate) for quantile, estimate in found if estimate)
    return Distribution(curve.words, samples, marks, curve.keys([trips.size]), colour(curve.series))
