"""The table of CPU time: the instructions of a message at each end, as they were counted."""

from __future__ import annotations

from itertools import groupby

from lab.causes.share import ENDS
from lab.report.evidence.evidence import Evidence
from lab.report.tables.rows import RowTable, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.units import number_tex
from lab.report.topics.causes import MessageCost, costs

KINDS = {"program": "user", "kernel": "kernel", "waiting": "waiting"}  # of a row, and the property of a cost


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
