"""The tables of latencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from lab.report.answer import Answer
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.evidence.links import by_link
from lab.report.tables.rows import RowTable, cell_if, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.units import MICRO
from lab.report.topics.latency import is_fetch, message_time, round_trips
from lab.spec.experiment import Series

MOST_COLUMNS = 4


def latency_table(evidence: Evidence) -> RowTable:
    """Half of the round trip of the series that have the smallest size."""
    curves = _halves(evidence)
    smallest = min((size for curve in curves for size in curve.sizes), default=0)
    shown = [curve for curve in curves if smallest in curve.sizes]
    columns = [(escape(curve.words), _times(curve)) for curve in shown]
    return _by_size(columns, [curve.name for curve in shown], MICRO)


def fetch_table(evidence: Evidence) -> RowTable:
    """The whole round trip of each READ, beside one way of the lab's WRITE on the same link."""
    groups = [group.series for group in by_link(evidence.all_series("latency")) if any(map(is_fetch, group.series))]
    shown = [round_trips(evidence, series) for group in groups for series in group if _fetches_or_writes(series)]
    columns = [(escape(f"{curve.words}, {_span(curve.series)}"), _times(curve)) for curve in shown]
    return _by_size(columns, [curve.name for curve in shown], MICRO)


def _fetches_or_writes(series: Series) -> bool:
    return is_fetch(series) or (series.operation == "write" and is_ours(series))


def _span(series: Series) -> str:
    return "round trip" if is_fetch(series) else "one way"


def _times(curve: Subject) -> dict[int, Answer]:
    return {size: message_time(curve, size) for size in curve.sizes}


def _halves(evidence: Evidence) -> list[Subject]:
    """The series of which half of a round trip is a message."""
    return [round_trips(evidence, series) for series in evidence.all_series("latency") if not is_fetch(series)]


def _by_size(columns: list[tuple[Markup, dict[int, Answer]]], names: Iterable[str], scale: float) -> RowTable:
    """Few columns stand so, with a row for each size; many become rows, at the sizes that most of them have."""
    sizes = sorted({size for _, values in columns for size in values})
    if len(columns) <= MOST_COLUMNS:
        rows = [(size_cell(size), *(cell_if(values.get(size), scale) for _, values in columns)) for size in sizes]
        return RowTable(tuple(head for head, _ in columns), tuple(rows), tuple(names))
    sizes = common_sizes([values.keys() for _, values in columns])
    rows = [(head, *(cell_if(values.get(size), scale) for size in sizes)) for head, values in columns]
    return RowTable(tuple(map(size_cell, sizes)), tuple(rows), tuple(names))


def common_sizes(of_each: Iterable[Collection[int]]) -> list[int]:
    """The first, the middle and the last of the three or more sizes that most have."""
    counts = Counter(size for sizes in of_each for size in sizes)
    least = sorted(counts.values())[-3:][0]
    found = sorted(size for size, count in counts.items() if count >= least)
    return sorted({found[0], found[len(found) // 2], found[-1]})
