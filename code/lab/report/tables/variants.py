"""Tables of series with another way to hand messages over: their rates, and the ratios that remain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from lab.report.claims.ledger import AllClaims
from lab.report.claims.ratios import RatioClaims
from lab.report.claims.throughput import RateClaims
from lab.report.evidence.pairs import Sort, variants
from lab.report.tables.ratios import about, series_of, sizes_of
from lab.report.tables.rows import RowTable, cell_if, size_cell
from lab.report.tables.throughput import rate_cell
from lab.report.tex.escape import Markup, escape

MOST_COLUMNS = 5  # that a page is wide
_Column = TypeVar("_Column")


def variant_rates(claims: AllClaims) -> list[RowTable]:
    """Each beside the first of its program on its link, at the sizes of all of them."""
    evidence, names = claims.evidence, variants(claims.evidence)
    does = {(each.program, each.link) for each in map(evidence.series, names)}
    found = [each for each in evidence.all_series("throughput") if (each.program, each.link) in does]
    rates = [claims.curves[each.name].rates for each in sorted(found, key=lambda each: each.program, reverse=True)]
    sizes = sorted({size for name in names for size in evidence.series(name).sizes(evidence.plan.site.name)})
    return [_rates(part, sizes) for part in _parts(rates)]


def variant_ratios(claims: AllClaims) -> list[RowTable]:
    """A column for each pair, a row for each size."""
    return [_ratios(part) for part in _parts(claims.ratios_of(Sort.VARIANT))]


def _rates(found: Sequence[RateClaims], sizes: list[int]) -> RowTable:
    rows = tuple((size_cell(size), *(rate_cell(each, size) for each in found)) for size in sizes)
    curves = [each.curve for each in found]
    return RowTable(tuple(_head(each.words) for each in curves), rows, tuple(each.series.name for each in curves))


def _ratios(found: Sequence[RatioClaims]) -> RowTable:
    rows = tuple((size_cell(size), *(cell_if(each.by_size.get(size)) for each in found)) for size in sizes_of(found))
    heads = tuple(_head(f"{each.pair.ours.words} over {each.pair.base.words}") for each in found)
    return RowTable(heads, rows, series_of(found), about(found))


def _head(words: str) -> Markup:
    return Markup(rf"\labnarrow{{{escape(words)}}}")


def _parts(found: Sequence[_Column]) -> Iterator[Sequence[_Column]]:
    for start in range(0, len(found), MOST_COLUMNS):
        yield found[start : start + MOST_COLUMNS]
