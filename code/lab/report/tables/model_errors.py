"""The table of a modelled card's errors: a row for each size, a column for each report."""

from __future__ import annotations

from lab.report.claims.ledger import AllClaims
from lab.report.tables.rows import RowTable, cell_if, size_cell
from lab.report.tex.escape import Markup, escape


def error_table(claims: AllClaims) -> RowTable:
    """Empty where the experiment has no card, or nothing was published for it."""
    found = claims.model_errors
    sizes = sorted({size for each in found for size in each.by_size})
    heads = tuple(Markup(rf"\labhead{{{escape(each.curve.series.name)}}}{{{escape(each.label)}}}") for each in found)
    rows = [(size_cell(size), *(cell_if(each.by_size.get(size)) for each in found)) for size in sizes]
    last = (Markup("median"), *(cell_if(each.median) for each in found))
    return RowTable(
        heads, (*rows, last) if rows else (), tuple(dict.fromkeys(each.curve.series.name for each in found))
    )
