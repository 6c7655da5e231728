"""The table of processor time: what a message costs each end in the program and in the kernel, and its wait."""

from __future__ import annotations

from lab.causes.share import ENDS
from lab.report.claim import Claim
from lab.report.claims.causes import by_curve
from lab.report.claims.ledger import AllClaims
from lab.report.tables.rows import RowTable, size_cell
from lab.report.tex.escape import Markup, escape

KINDS = {"program": "user", "kernel": "kernel", "waiting": "waiting"}  # as a row says it, and as a claim's name does


def processor_table(claims: AllClaims) -> RowTable:
    """A row for each kind of time of each end of each series, a column for each size; empty where none was counted."""
    sizes = sorted({each.size for each in claims.costs})
    rows, names = [], []
    for curve, found in by_curve(claims.costs):
        names.append(curve.name)
        for end in ENDS:
            by_size = {each.size: each for each in found if each.end == end}
            for words, kind in KINDS.items():
                cells = (_cell(getattr(by_size[size], kind)) if size in by_size else Markup("") for size in sizes)
                rows.append((Markup(f"{escape(curve.words)}, {end}: {words}"), *cells))
    return RowTable((Markup(""), *map(size_cell, sizes)) if rows else (), tuple(rows), tuple(names))


def _cell(claim: Claim) -> Markup:
    """Whole nanoseconds: they were counted."""
    return Markup(rf"\num{{{claim.estimate.value:.0f}}}")
