"""Tables of the series that hand their messages over otherwise: what they reach, and what is left of the ratios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from lab.model.sizes import format_size
from lab.report.claim import Ledger
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.pairs import Pair, Sort, pairs, variants
from lab.report.tables.by_size import RowTable, about, claimed, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.units import MEGA

MOST_COLUMNS = 5  # that a page is wide
_Column = TypeVar("_Column")


def variant_rates(evidence: Evidence, ledger: Ledger) -> list[RowTable]:
    """Each beside the first of its program on its link, at the sizes of all of them."""
    names = variants(evidence)
    does = {(each.program, each.link) for each in map(evidence.series, names)}
    found = [each for each in evidence.all_series("throughput") if (each.program, each.link) in does]
    curves = [subject(evidence, each) for each in sorted(found, key=lambda each: each.program, reverse=True)]
    sizes = sorted({size for name in names for size in evidence.series(name).sizes(evidence.plan.site.name)})
    return [_rates(part, sizes, ledger) for part in _parts(curves)]


def variant_ratios(evidence: Evidence, ledger: Ledger) -> list[RowTable]:
    """A column for each pair, a row for each size."""
    found = [each for each in pairs(evidence) if each.sort is Sort.VARIANT]
    return [_ratios(part, ledger) for part in _parts(found)]


def _rates(curves: Sequence[Subject], sizes: list[int], ledger: Ledger) -> RowTable:
    rows = tuple(
        (size_cell(size), *(claimed(ledger, f"{curve.name}.{format_size(size)}", MEGA) for curve in curves))
        for size in sizes
    )
    return RowTable(tuple(_head(each.words) for each in curves), rows, tuple(each.series.name for each in curves))


def _ratios(found: Sequence[Pair], ledger: Ledger) -> RowTable:
    rows = tuple(
        (size_cell(size), *(claimed(ledger, f"{pair.name}.{format_size(size)}") for pair in found))
        for size in sorted({size for pair in found for size in pair.sizes})
    )
    heads = tuple(_head(f"{pair.ours.words} over {pair.base.words}") for pair in found)
    series = dict.fromkeys(each.series.name for pair in found for each in (pair.ours, pair.base))
    return RowTable(heads, rows, tuple(series), about(list(found), ledger))


def _head(words: str) -> Markup:
    return Markup(rf"\labnarrow{{{escape(words)}}}")


def _parts(found: Sequence[_Column]) -> Iterator[Sequence[_Column]]:
    for start in range(0, len(found), MOST_COLUMNS):
        yield found[start : start + MOST_COLUMNS]
