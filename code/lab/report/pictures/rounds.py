"""Throughput with and without what comes after the data have arrived, against the message size."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import GBIT_S, BySize, Curve, throughput
from lab.model.sizes import format_size
from lab.report.claim import Ledger
from lab.report.claims.lines import scaled
from lab.report.claims.rounds import BITS, rounds_curves
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.links import link_groups
from lab.report.pictures.picture import Picture, claimed_curve
from lab.report.pictures.throughput import limits


def by_round(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """A figure for each link."""
    repeated = {curve.series.name for curve in rounds_curves(evidence) if not curve.point}
    for group in link_groups(evidence):
        curves = [subject(evidence, each) for each in group.series if each.name in repeated]
        if curves:
            drawn = [each for curve in curves for each in (claimed_curve(curve, ledger), _corrected(curve, ledger))]
            name = f"corrected{group.suffix}"
            caption = f"Throughput with nothing taken off, and corrected, {curves[0].link}."
            shown = tuple(each for each in drawn if each.x)
            data = BySize(name, shown, evidence.plan.site.name, limits(group, evidence.plan.site.name), GBIT_S)
            yield Picture(name, caption, data, throughput)


def _corrected(curve: Subject, ledger: Ledger) -> Curve:
    """Only the sizes at which the correction is not refused."""
    names = {size: f"{curve.name}.{format_size(size)}.corrected" for size in curve.sizes}
    sizes = [size for size, name in names.items() if name in ledger]
    estimates = tuple(scaled(ledger[names[size]].estimate, 1 / BITS) for size in sizes)
    return Curve(f"{curve.words}, corrected", tuple(map(float, sizes)), estimates, curve.keys(sizes))
