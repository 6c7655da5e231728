"""The tables of processor time: what a message takes of each end, as programs say, and as instructions were counted."""

from __future__ import annotations

from itertools import groupby

from lab.causes.share import ENDS
from lab.report.answer import Answer
from lab.report.evidence.evidence import Evidence
from lab.report.tables.latency import common_sizes
from lab.report.tables.rows import RowTable, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import bare_cell
from lab.report.tex.units import MICRO, number_tex
from lab.report.topics.causes import MessageCost, costs
from lab.report.topics.processor import processor_times

KINDS = {"program": "user", "kernel": "kernel", "waiting": "waiting"}  # of a row, and the property of a cost


def spent_table(evidence: Evidence) -> RowTable:
    """A row for each end of each of the lab's series, at a few sizes: in microseconds, as the programs say."""
    found = processor_times(evidence)
    if not found:
        return RowTable((), (), ())
    sizes = common_sizes([by_size.keys() for times in found for by_size in times.ends.values()])
    rows = [
        (escape(f"{times.words}, {end}"), *(_bare(by_size.get(size)) for size in sizes))
        for times in found
        for end, by_size in times.ends.items()
    ]
    names = dict.fromkeys(times.curve.series.name for times in found)
    return RowTable(tuple(map(size_cell, sizes)), tuple(rows), tuple(names))


def _bare(answer: Answer | None) -> Markup:
    """Without its interval: with it, the labels of both ends leave too little room."""
    return bare_cell(answer, MICRO) if answer else Markup("")


def processor_table(evidence: Evidence) -> RowTable:
    """A row for each kind of time of each end of each series, a column for each size; empty where none was counted."""
    counted = costs(evidence)
    sizes = sorted({cost.size for cost in counted})
    by_series = {name: list(of) for name, of in groupby(counted, lambda cost: cost.curve.name)}
    rows = [
        (Markup(f"{escape(of[0].curve.words)}, {end}: {words}"), *(_cell(of, end, size, kind) for size in sizes))
        for of in by_series.values()
        for end in ENDS
        for words, kind in KINDS.items()
    ]
    return RowTable((Markup(""), *map(size_cell, sizes)) if rows else (), tuple(rows), tuple(by_series))


def _cell(of_series: list[MessageCost], end: str, size: int, kind: str) -> Markup:
    """Whole nanoseconds: they were counted."""
    values = [getattr(cost, kind) for cost in of_series if (cost.end, cost.size) == (end, size)]
    return Markup(number_tex(f"{max(round(values[0]), 0)}")) if values else Markup("")
