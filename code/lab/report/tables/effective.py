"""The table of effective values: each value of each series, and whether it was varied, held, or moved by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lab.report.evidence.effective import NAMES, effective, moved
from lab.report.evidence.evidence import Evidence
from lab.report.tables.rows import RowTable
from lab.report.tex.escape import Markup, escape
from lab.report.tex.units import number_tex
from lab.spec.experiment import Series

SHOWN = {
    "iterations": r"\labhead{timed}{messages}",
    "warmup": "warm-up",
    "depth": "depth",
    "post_list": r"\labhead{post}{list}",
    "signal_every": r"\labhead{signal}{every}",
    "inline": r"\labhead{inline}{bytes}",
}
ABSENT = Markup("--")


def effective_table(evidence: Evidence) -> RowTable:
    """A row for each series with effective values in its records, from the least to the most over sizes and points."""
    found = [(series, row) for series in evidence.plan.experiment.series if (row := dict(_row(evidence, series)))]
    names = [name for name in SHOWN if any(name in row for _, row in found)]
    rows = tuple(
        (Markup(rf"\texttt{{{escape(series.name)}}}"), *(row.get(name, ABSENT) for name in names))
        for series, row in found
    )
    return RowTable(tuple(Markup(SHOWN[name]) for name in names), rows, tuple(series.name for series, _ in found))


def _row(evidence: Evidence, series: Series) -> Iterator[tuple[str, Markup]]:
    points = [each.over_sizes() for each in effective(evidence, series)]
    varied = {NAMES.get(name, name) for name in series.vary}
    loose = {name for size in series.sizes(evidence.plan.site.name) for name in moved(evidence, series, size)}
    for name in SHOWN:
        if values := frozenset().union(*(each.get(name, frozenset()) for each in points)):
            word = "varied" if name in varied else "moved" if name in loose else ""
            yield name, _cell(values, word)


def _cell(values: Iterable[int], word: str) -> Markup:
    ends = dict.fromkeys((min(values), max(values)))
    text = " to ".join(number_tex(str(end)) for end in ends)
    return Markup(f"{text}, {word}" if word else text)
