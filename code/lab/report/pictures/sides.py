"""The time of the calls of each end against the message size, and a line through them."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.summary import estimate_median
from lab.figures import BySize, Curve, Fit
from lab.figures.drawers import call_time, fit
from lab.report.evidence.evidence import Evidence
from lab.report.pictures.colours import colour, pale
from lab.report.pictures.lines import fit_data
from lab.report.pictures.sketch import Sketch
from lab.report.topics.sides import SideCurve, all_sides

SENDER = "send"


def by_side(evidence: Evidence) -> Iterator[Sketch[BySize] | Sketch[Fit]]:
    """One figure for each series with all of its calls, and one for each call with its line."""
    for series, found in evidence.once(all_sides).items():
        name, curve = f"sides.{series}", found[0].curve
        caption = f"Median time of each end's own call against message size, {curve.link}."
        yield Sketch(name, caption, BySize(name, tuple(map(_medians, found)), curve.site), call_time)
        yield from map(_fitted, found)


def _medians(side: SideCurve) -> Curve:
    sizes, words = side.curve.sizes, f"{side.side}, {side.variant}"
    estimates = tuple(estimate_median(side.medians(size)) for size in sizes)
    return Curve(words, tuple(map(float, sizes)), estimates, side.curve.keys(sizes), colour=_colour(side))


def _colour(side: SideCurve) -> str:
    """One transport has two: the strong one for the sender."""
    return (colour if side.side == SENDER else pale)(side.curve.series)


def _fitted(side: SideCurve) -> Sketch[Fit]:
    """The line from the knee on, or through all sizes."""
    times = side.times_from(side.knee.value if side.knee else side.curve.sizes[0])
    lines = "the two lines that follow it" if times.pieces() else "the least-squares line"
    caption = f"Mean of the {side.words}, {_which(side)}, in each repetition, with {lines}."
    name = f"{side.name}.fit"
    return Sketch(name, caption, fit_data(name, side.words, times, _colour(side)), fit)


def _which(side: SideCurve) -> str:
    if side.knee:
        return "from the knee on"
    return "of all sizes, since it takes a step" if side.leap else "of all sizes, since there is no knee"
