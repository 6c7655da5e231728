"""Tables of the calls of each end, size by size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.records.row import SIDES
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import label
from lab.report.tables.rows import RowTable, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import answer_cell
from lab.report.tex.units import MICRO
from lab.report.topics.sides import SideCurve, all_sides


@dataclass(frozen=True)
class SideTable:
    """One table of a series; the name tells it from the others."""

    name: Markup
    words: str
    table: RowTable


def size_tables(evidence: Evidence) -> list[SideTable]:
    """Mean, deviation and median of every size, a table for each end of each series."""
    return [
        SideTable(Markup(f"{name}.{end}"), f"{end} of {label(of_both[0].curve.series)}", _by_size(name, end, of_both))
        for name, of_both in evidence.once(all_sides).items()
        for end in SIDES
    ]


def _by_size(series: str, end: str, of_both: tuple[SideCurve, ...]) -> RowTable:
    of_end = [side for side in of_both if side.side == end]
    kinds = ("mean", "deviation", "median")
    heads = tuple(Markup(rf"\labhead{{{escape(side.variant)}}}{{{kind}}}") for side in of_end for kind in kinds)
    sizes = of_end[0].curve.sizes
    rows = tuple((size_cell(size), *(cell for side in of_end for cell in _cells(side, size))) for size in sizes)
    return RowTable(heads, rows, (series,), bare="deviation and median without theirs")


def _cells(side: SideCurve, size: int) -> Iterator[Markup]:
    """Only the mean has its interval there, since the table would be too wide."""
    answers = side.deviation(size), side.median(size)
    alone = (replace(answer, estimate=replace(answer.estimate, interval=None)) for answer in answers)
    yield from (answer_cell(answer, MICRO) for answer in (side.mean(size), *alone))
