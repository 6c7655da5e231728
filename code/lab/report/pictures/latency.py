"""Round trips: their distribution at one size, and their median against the size."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.summary import estimate_median
from lab.figures import BySize, Curve, Distribution, Latency
from lab.figures.drawers import half_trip, latency, round_trip
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.evidence.links import LinkGroup, by_link
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import AnySketch, Sketch
from lab.report.tex.units import in_words
from lab.report.topics.latency import QUANTILES, Trips, is_fetch, round_trips, trips
from lab.report.topics.lines import scaled


def by_latency(evidence: Evidence) -> Iterator[AnySketch]:
    """All medians, the halves of ours, and the distributions at the smallest size: two figures for each link."""
    site = evidence.plan.site.name
    for group in by_link(evidence.all_series("latency")):
        curves = [round_trips(evidence, series) for series in group.series]
        name, medians = f"round_trip{group.suffix}", tuple(map(_medians, curves))
        caption = f"Median round trip against message size, {curves[0].link}."
        yield Sketch(name, caption, BySize(name, medians, site), round_trip)
        yield from _distributions(group, curves)
    halved = [series for series in evidence.all_series("latency") if is_ours(series) and not is_fetch(series)]
    if ours := [round_trips(evidence, series) for series in halved]:
        halves = tuple(_medians(curve, 0.5) for curve in ours)
        caption = "Half of the median round trip of the lab's own programs against message size."
        yield Sketch("half_trip", caption, BySize("half_trip", halves, site), half_trip)


def _distributions(group: LinkGroup, curves: list[Subject]) -> Iterator[Sketch[Latency]]:
    size = min(size for curve in curves for size in curve.sizes)
    shown = [(curve, measured) for curve in curves for measured in trips(curve) if measured.size == size]
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


def _distribution(curve: Subject, measured: Trips) -> Distribution:
    samples = tuple(float(trip) for repetition in measured.by_repetition for trip in repetition)
    found = ((quantile, measured.quantile(quantile)) for quantile in (0.5, *QUANTILES))
    marks = tuple((quantile, estimate) for quantile, estimate in found if estimate)
    return Distribution(curve.words, samples, marks, curve.keys([measured.size]), colour(curve.series))
