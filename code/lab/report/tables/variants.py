"""Tables of series with another way to hand messages over: their rates, and the ratios that remain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.pairs import Sort, variants
from lab.report.tables.ratios import about, series_of, sizes_of
from lab.report.tables.rows import RowTable, cell_if, size_cell
from lab.report.tables.throughput import rate_rows
from lab.report.tex.escape import Markup, escape
from lab.report.topics.ratios import PairRatios, pair_ratios

MOST_COLUMNS = 5  # that a page is wide
_Column = TypeVar("_Column")


def variant_rates(evidence: Evidence) -> list[RowTable]:
    """Each beside the first of its program on its link, at the sizes of all of them."""
    names = variants(evidence)
    does = {(series.program, series.link) for series in map(evidence.series, names)}
    shown = [series for series in evidence.all_series("throughput") if (series.program, series.link) in does]
    curves = [subject(evidence, series) for series in sorted(shown, key=lambda of: of.program, reverse=True)]
    sizes = sorted({size for name in names for size in evidence.series(name).sizes(evidence.plan.site.name)})
    return [_rates(part, sizes) for part in _parts(curves)]


def variant_ratios(evidence: Evidence) -> list[RowTable]:
    """A column for each pair, a row for each size."""
    return [_ratios(part) for part in _parts(pair_ratios(evidence, Sort.VARIANT))]


def _rates(curves: Sequence[Subject], sizes: list[int]) -> RowTable:
    heads = tuple(_head(curve.words) for curve in curves)
    return RowTable(heads, rate_rows(curves, sizes), tuple(curve.series.name for curve in curves))


def _ratios(found: Sequence[PairRatios]) -> RowTable:
    rows = tuple((size_cell(size), *(cell_if(of.by_size.get(size)) for of in found)) for size in sizes_of(found))
    heads = tuple(_head(f"{of.pair.ours.words} over {of.pair.base.words}") for of in found)
    return RowTable(heads, rows, series_of(found), about(found))


def _head(words: str) -> Markup:
    return Markup(rf"\labnarrow{{{escape(words)}}}")


def _parts(found: Sequence[_Column]) -> Iterator[Sequence[_Column]]:
    for start in range(0, len(found), MOST_COLUMNS):
        yield found[start : start + MOST_COLUMNS]
