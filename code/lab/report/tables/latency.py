"""The table of latencies."""

from __future__ import annotations

from lab.report.claims.latency import LatencyClaims
from lab.report.claims.ledger import AllClaims
from lab.report.tables.rows import RowTable, cell_if, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.units import MICRO


def latency_table(claims: AllClaims) -> RowTable:
    """Half of the round trip, over the sizes of the series that has the smallest."""
    curves = claims.latencies.values()
    sizes = min((each.curve.sizes for each in curves), default=())
    found = [each for each in curves if sizes and each.curve.sizes[0] == sizes[0]]
    rows = tuple((size_cell(size), *(_half_trip(each, size) for each in found)) for size in sizes)
    return RowTable(tuple(escape(each.curve.words) for each in found), rows, tuple(each.curve.name for each in found))


def _half_trip(found: LatencyClaims, size: int) -> Markup:
    trip = found.by_size.get(size)
    return cell_if(trip.half_trip if trip else None, MICRO)
