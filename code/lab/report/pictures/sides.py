"""The time of the calls of each end against the message size."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.summary import estimate_median
from lab.figures import BySize, Curve
from lab.figures.drawers import call_time
from lab.report.evidence.evidence import Evidence
from lab.report.pictures.colours import colour, pale
from lab.report.pictures.sketch import Sketch
from lab.report.topics.sides import SideCurve, all_sides

SENDER = "send"


def by_side(evidence: Evidence) -> Iterator[Sketch[BySize]]:
    """One figure for each series with all of its calls."""
    for series, found in evidence.once(all_sides).items():
        name, curve = f"sides.{series}", found[0].curve
        caption = f"Median time of each end's own call against message size, {curve.link}."
        yield Sketch(name, caption, BySize(name, tuple(map(_medians, found)), curve.site), call_time)


def _medians(side: SideCurve) -> Curve:
    """One transport has two colours: the strong one is the sender's."""
    sizes, words = side.curve.sizes, f"{side.side}, {side.variant}"
    estimates = tuple(estimate_median(side.medians(size)) for size in sizes)
    strength = colour if side.side == SENDER else pale
    return Curve(words, tuple(map(float, sizes)), estimates, side.curve.keys(sizes), colour=strength(side.curve.series))
