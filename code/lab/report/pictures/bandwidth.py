"""The bytes of a message over its time, against the size, beside published times."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_median
from lab.figures import BySize, Curve
from lab.figures.drawers import bandwidth
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours, label
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import MB_S, Sketch
from lab.report.tex.units import NANO
from lab.report.topics.latency import message_share, round_trips
from lab.report.topics.published import PublishedTimes, published_times


def by_bandwidth(evidence: Evidence) -> Iterator[Sketch[BySize]]:
    """One figure, where times were published for the experiment; the series of a card's wire, where there are some."""
    theirs = list(published_times(evidence.plan.experiment.name))
    ours = [round_trips(evidence, series) for series in evidence.all_series("latency") if is_ours(series)]
    ours = [curve for curve in ours if curve.series.link.card] or ours
    if not (theirs and ours):
        return
    by_label: dict[str, list[Subject]] = {}
    for curve in ours:
        by_label.setdefault(label(curve.series), []).append(curve)
    curves = (*(_curve(*each) for each in by_label.items()), *map(_published, theirs))
    site, link = evidence.plan.site.name, ours[0].link
    beside = f"beside it the published times, {_notes(theirs)}"
    caption = f"Size over half of the round trip, against message size, {link}; {beside}."
    yield Sketch("bandwidth", caption, BySize("bandwidth", curves, site, unit=MB_S), bandwidth)


def _curve(words: str, of_transport: list[Subject]) -> Curve:
    """All series of one transport on the link, large messages and small ones, as one curve."""
    points = sorted(((size, curve) for curve in of_transport for size in curve.sizes), key=lambda point: point[0])
    rates = tuple(_rate(size, curve) for size, curve in points)
    keys = tuple(dict.fromkeys(key for size, curve in points for key in curve.keys([size])))
    return Curve(words, tuple(float(size) for size, _ in points), rates, keys, colour=colour(of_transport[0].series))


def _rate(size: int, curve: Subject) -> Estimate:
    share = message_share(curve.series)
    return estimate_median([size / share / NANO / trip for trip in curve.values(size)])


def _published(theirs: PublishedTimes) -> Curve:
    rates = tuple(Estimate(theirs.rate(size), None, 1) for size in theirs.sizes)
    return Curve(theirs.words, tuple(map(float, theirs.sizes)), rates, machine=theirs.machine)


def _notes(theirs: list[PublishedTimes]) -> str:
    return "; ".join(f"{each.words}: {each.machine}" for each in theirs)
