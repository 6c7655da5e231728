"""Round trips: their distribution at one size, and their median against the size."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.summary import estimate_median
from lab.figures import BySize, Curve, Distribution, Latency
from lab.figures.drawers import half_trip, latency, round_trip
from lab.report.claims.latency import QUANTILES, LatencyClaims, Trips
from lab.report.claims.ledger import AllClaims
from lab.report.claims.lines import scaled
from lab.report.evidence.curve import Subject
from lab.report.evidence.labels import is_ours
from lab.report.evidence.links import LinkGroup, by_link
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import AnySketch, Sketch
from lab.report.tex.units import in_words


def by_latency(claims: AllClaims) -> Iterator[AnySketch]:
    """All medians, the halves of ours, and the distributions at the smallest size: two figures for each link."""
    site = claims.evidence.plan.site.name
    for group in by_link(claims.evidence.all_series("latency")):
        found = [claims.latencies[name] for name in group.names]
        name, medians = f"round_trip{group.suffix}", tuple(_medians(each.curve) for each in found)
        caption = f"Median round trip against message size, {found[0].curve.link}."
        yield Sketch(name, caption, BySize(name, medians, site), round_trip)
        yield from _distributions(group, found)
    ours = [each.curve for each in claims.latencies.values() if is_ours(each.curve.series)]
    if ours:
        halves = tuple(_medians(curve, 0.5) for curve in ours)
        caption = "Half of the median round trip of the lab's own programs against message size."
        yield Sketch("half_trip", caption, BySize("half_trip", halves, site), half_trip)


def _distributions(group: LinkGroup, found: list[LatencyClaims]) -> Iterator[Sketch[Latency]]:
    size = min(size for each in found for size in each.by_size)
    shown = [(each.curve, kept.trips) for each in found for kept in each.quantiles if kept.trips.size == size]
    if shown:
        name, site = f"latency{group.suffix}", shown[0][0].site
        data = Latency(name, "round trip", tuple(_distribution(*each) for each in shown), site)
        caption = (
            f"Distribution of the round trip, messages of {in_words(size)}, all repetitions together, "
            f"{shown[0][0].link}."
        )
        yield Sketch(name, caption, data, latency)


def _medians(curve: Subject, part: float = 1.0) -> Curve:
    estimates = tuple(scaled(estimate_median(curve.values(size)), part) for size in curve.sizes)
    keys = curve.keys(curve.sizes)
    return Curve(curve.words, tuple(map(float, curve.sizes)), estimates, keys, colour=colour(curve.series))


def _distribution(curve: Subject, trips: Trips) -> Distribution:
    samples = tuple(float(trip) for each in trips.by_repetition for trip in each)
    found = ((quantile, trips.quantile(quantile)) for quantile in (0.5, *QUANTILES))
    marks = tuple((quantile, estimate) for quantile, estimate in found if estimate)
    return Distribution(curve.words, samples, marks, curve.keys([trips.size]), colour(curve.series))
