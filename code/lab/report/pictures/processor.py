"""The processor time of a message against its size, at both ends of our series: a figure for each link."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import BySize, Curve
from lab.figures.drawers import processor_time
from lab.programs.request import ENDS
from lab.report.claims.ledger import AllClaims
from lab.report.claims.lines import scaled
from lab.report.claims.processor import ProcessorClaims
from lab.report.evidence.links import by_link
from lab.report.pictures.colours import colour, pale
from lab.report.pictures.sketch import Sketch
from lab.report.tex.units import NANO

CLIENT = ENDS[0]


def processors(claims: AllClaims) -> Iterator[Sketch[BySize]]:
    """Where our programs said what they took."""
    series = {each.curve.series.name: each.curve.series for each in claims.processors}
    for group in by_link(series.values()):
        found = [each for each in claims.processors if each.curve.series.name in group.names]
        name, curves = f"processor{group.suffix}", tuple(curve for each in found for curve in _curves(each))
        caption = f"Processor time of a message at both ends against message size, {found[0].curve.link}."
        yield Sketch(name, caption, BySize(name, curves, found[0].curve.site), processor_time)


def _curves(found: ProcessorClaims) -> Iterator[Curve]:
    """One transport has two colours: the strong one for the client."""
    for end, by_size in found.ends.items():
        estimates = tuple(scaled(each.message.estimate, 1 / NANO) for each in by_size.values())
        shade = (colour if end == CLIENT else pale)(found.curve.series)
        words, keys = f"{found.words}, {end}", found.curve.keys(by_size)
        yield Curve(words, tuple(map(float, by_size)), estimates, keys, colour=shade)
