"""The throughput of each series: one table for each link, or one with a row for each series."""

from __future__ import annotations

from collections.abc import Sequence

from lab.report.claims.ledger import AllClaims
from lab.report.claims.throughput import RateClaims
from lab.report.evidence.links import LinkGroup, link_groups
from lab.report.tables.rows import RowTable, SizeTable, cell_if, size_cell, stops_of
from lab.report.tex.escape import Markup, escape
from lab.report.tex.units import MEGA


def result_tables(claims: AllClaims) -> list[SizeTable]:
    """A row for each size, one table for each link."""
    return [_result_table(group, rates_of(claims, group)) for group in link_groups(claims.evidence)]


def rates_of(claims: AllClaims, group: LinkGroup) -> list[RateClaims]:
    """The table of the curves that share a link."""
    return [claims.curves[each].rates for each in group.names]


def rate_cell(rates: RateClaims, size: int) -> Markup:
    """Empty where the curve does not have this size."""
    found = rates.by_size.get(size)
    return cell_if(found.rate if found else None, MEGA)


def sizes_of(found: Sequence[RateClaims]) -> list[int]:
    """Those of any of the curves."""
    return sorted({size for each in found for size in each.by_size})


def rate_table(claims: AllClaims) -> RowTable:
    """A row for each series of the main link."""
    found = [each for group in link_groups(claims.evidence)[:1] for each in rates_of(claims, group)]
    sizes = sizes_of(found)
    rows = tuple((escape(each.curve.words), *(rate_cell(each, size) for size in sizes)) for each in found)
    return RowTable(tuple(map(size_cell, sizes)), rows, tuple(each.curve.series.name for each in found))


def _result_table(group: LinkGroup, found: list[RateClaims]) -> SizeTable:
    rows = tuple((size_cell(size), *(rate_cell(each, size) for each in found)) for size in sizes_of(found))
    curves = [each.curve for each in found]
    heads = tuple(escape(curve.words) for curve in curves)
    return SizeTable(Markup(group.suffix), curves[0].link, stops_of(curves), heads, rows, group.names)
