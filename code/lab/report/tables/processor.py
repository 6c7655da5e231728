"""The tables of processor time: what a message takes of each end, as programs say, and as instructions were counted."""

from __future__ import annotations

from lab.causes.share import ENDS
from lab.report.claim import Claim
from lab.report.claims.causes import by_curve
from lab.report.claims.ledger import AllClaims
from lab.report.claims.processor import EndClaims
from lab.report.tables.latency import common_sizes
from lab.report.tables.rows import RowTable, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import bare_cell
from lab.report.tex.units import MICRO, number_tex

KINDS = {"program": "user", "kernel": "kernel", "waiting": "waiting"}  # as a row says it, and as a claim's name does


def spent_table(claims: AllClaims) -> RowTable:
    """A row for each end of each of our series, at a few sizes: in microseconds, as the programs say."""
    found = claims.processors
    if not found:
        return RowTable((), (), ())
    sizes = common_sizes([by_size.keys() for each in found for by_size in each.ends.values()])
    rows = [
        (escape(f"{each.words}, {end}"), *(_bare(by_size.get(size)) for size in sizes))
        for each in found
        for end, by_size in each.ends.items()
    ]
    names = dict.fromkeys(each.curve.series.name for each in found)
    return RowTable(tuple(map(size_cell, sizes)), tuple(rows), tuple(names))


def _bare(found: EndClaims | None) -> Markup:
    """Without its interval, which the ledger has: with it, the labels of both ends leave too little room."""
    return bare_cell(found.message, MICRO) if found else Markup("")


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
    return Markup(number_tex(f"{claim.estimate.value:.0f}"))
