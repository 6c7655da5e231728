"""The tables of latencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from lab.report.answer import Answer
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.evidence.links import by_link
from lab.report.evidence.pairs import CurvePair
from lab.report.tables.rows import RowTable, cell_if, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import bare_cell
from lab.report.tex.units import MICRO
from lab.report.topics.latency import QUANTILES, Trips, is_fetch, message_quantile, message_time, round_trips, trips
from lab.report.topics.ratios import speeds
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


def tail_table(evidence: Evidence) -> RowTable:
    """Three rows for each of the lab's series: of half of the round trip the median and the quantiles that trips
    support."""
    measured = {curve.name: (curve, _supported(curve)) for curve in _halves(evidence)}
    shown = {name: (curve, by_size) for name, (curve, by_size) in measured.items() if by_size}
    sizes = sorted({size for _, by_size in shown.values() for size in by_size})
    rows = [row for curve, by_size in shown.values() for row in _tails(curve, by_size, sizes)]
    return RowTable(tuple(map(size_cell, sizes)), tuple(rows), tuple(shown))


def speed_table(evidence: Evidence) -> RowTable:
    """Each of the lab's series over another transport or over its peer."""
    found = speeds(evidence)
    columns = [(_over(ratios.pair), ratios.by_size) for ratios in found]
    names = dict.fromkeys(side.name for ratios in found for side in (ratios.pair.ours, ratios.pair.base))
    return _by_size(columns, names, 1.0)


def _halves(evidence: Evidence) -> list[Subject]:
    """The series of which half of a round trip is a message."""
    return [round_trips(evidence, series) for series in evidence.all_series("latency") if not is_fetch(series)]


def _over(pair: CurvePair) -> Markup:
    return Markup(rf"\lablines{{{escape(pair.ours.words)}}}{{over {escape(pair.base.words)}}}")


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


def _supported(curve: Subject) -> dict[int, dict[float, Answer]]:
    """The quantiles of each size, at the sizes that have any."""
    return {measured.size: quantiles for measured in trips(curve) if (quantiles := _quantiles(curve, measured))}


def _quantiles(curve: Subject, measured: Trips) -> dict[float, Answer]:
    return {quantile: answer for quantile in QUANTILES if (answer := message_quantile(curve, measured, quantile))}


def _tails(curve: Subject, by_size: dict[int, dict[float, Answer]], sizes: list[int]) -> Iterator[tuple[Markup, ...]]:
    medians = (message_time(curve, size) if size in curve.sizes else None for size in sizes)
    yield (escape(f"{curve.words}, p50"), *map(_bare, medians))
    for quantile, short in QUANTILES.items():
        tails = (by_size.get(size, {}).get(quantile) for size in sizes)
        yield (Markup(rf"\quad {short}"), *map(_bare, tails))


def _bare(answer: Answer | None) -> Markup:
    """Without its interval, for which the table has no room."""
    return bare_cell(answer, MICRO) if answer else Markup("")
