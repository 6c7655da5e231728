"""Throughput with and without the time after the data have arrived, against the message size."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import BySize, Curve
from lab.figures.drawers import throughput
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.links import link_groups
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import MB_S, Sketch, rate_curve
from lab.report.pictures.throughput import limits, no_limit
from lab.report.topics.rounds import Rounds, all_rounds


def by_round(evidence: Evidence) -> Iterator[Sketch[BySize]]:
    """A figure for each link."""
    site, traits = evidence.plan.site.name, evidence.plan.site.traits
    repeated: dict[str, list[Rounds]] = {}
    for rounds in evidence.once(all_rounds):
        if not rounds.curve.point:
            repeated.setdefault(rounds.curve.name, []).append(rounds)
    for group in link_groups(evidence):
        curves = [subject(evidence, series) for series in group.series if series.name in repeated]
        if curves:
            drawn = [
                drawn for curve in curves for drawn in (rate_curve(curve), _corrected(curve, repeated[curve.name]))
            ]
            name, shown = f"corrected{group.suffix}", tuple(curve for curve in drawn if curve.x)
            link = f"{curves[0].link}{no_limit(group, traits)}"
            caption = f"Throughput with nothing taken off, and corrected, {link}."
            yield Sketch(name, caption, BySize(name, shown, site, limits(group, site), MB_S), throughput)


def _corrected(curve: Subject, of_sizes: list[Rounds]) -> Curve:
    """Only the sizes at which the correction is not refused."""
    rates = {rounds.size: rate for rounds in of_sizes if (rate := rounds.correction().rate)}
    estimates, look, keys = tuple(rates.values()), colour(curve.series), curve.keys(rates)
    return Curve(f"{curve.words}, corrected", tuple(map(float, rates)), estimates, keys, colour=look)
