"""The throughput of each series: one table for each link, or one with a row for each series."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.links import LinkGroup, link_groups
from lab.report.tables.rows import RowTable, SizeTable, size_cell, stops_of
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import answer_cell
from lab.report.tex.units import MEGA
from lab.report.topics.curves import rate


def result_tables(evidence: Evidence) -> list[SizeTable]:
    """A row for each size, one table for each link."""
    return [_result_table(group, curves_of(evidence, group)) for group in link_groups(evidence)]


def curves_of(evidence: Evidence, group: LinkGroup) -> list[Subject]:
    """The curves that share a link."""
    return [subject(evidence, series) for series in group.series]


def rate_cell(curve: Subject, size: int) -> Markup:
    """Empty where the curve does not have this size."""
    return answer_cell(rate(curve, size), MEGA) if size in curve.sizes else Markup("")


def rate_rows(curves: Sequence[Subject], sizes: Iterable[int]) -> tuple[tuple[Markup, ...], ...]:
    """A row for each size, a column for each curve."""
    return tuple((size_cell(size), *(rate_cell(curve, size) for curve in curves)) for size in sizes)


def sizes_of(curves: Sequence[Subject]) -> list[int]:
    """The sizes of any of the curves."""
    return sorted({size for curve in curves for size in curve.sizes})


def rate_table(evidence: Evidence) -> RowTable:
    """A row for each series of the main link."""
    curves = [curve for group in link_groups(evidence)[:1] for curve in curves_of(evidence, group)]
    sizes = sizes_of(curves)
    rows = tuple((escape(curve.words), *(rate_cell(curve, size) for size in sizes)) for curve in curves)
    return RowTable(tuple(map(size_cell, sizes)), rows, tuple(curve.series.name for curve in curves))


def _result_table(group: LinkGroup, curves: list[Subject]) -> SizeTable:
    heads, rows = tuple(escape(curve.words) for curve in curves), rate_rows(curves, sizes_of(curves))
    return SizeTable(Markup(group.suffix), curves[0].link, stops_of(curves), heads, rows, group.names)
