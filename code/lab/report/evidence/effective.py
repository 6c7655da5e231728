"""The effective values of the programs by size, from their records; and held values that moved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lab.report.evidence.evidence import Evidence
from lab.report.tex.escape import Markup, escape
from lab.report.tex.units import number_tex
from lab.spec.experiment import Point, Series

# Names in the CSV's header of values that parameters choose, or leave to a rule.
NAMES = {"tx_depth": "depth", "signal_every": "signal_every", "post_list": "post_list", "inline": "inline"}
ABOUT_COUNTS = ("asked", "sample_every")  # said beside them: nothing runs with these
_VALUE = re.compile(r"(\w+)=(\d+)", re.ASCII)

SHOWN = {
    "iterations": r"\labhead{timed}{messages}",
    "warmup": "warm-up",
    "depth": "depth",
    "post_list": r"\labhead{post}{list}",
    "signal_every": r"\labhead{signal}{every}",
    "inline": r"\labhead{inline}{bytes}",
}
ABSENT = Markup("--")

Values = dict[str, frozenset[int]]  # name -> every value that any repetition had


@dataclass(frozen=True)
class Effective:
    """One series at one point: the values at each size."""

    point: Point
    by_size: dict[int, Values]

    def over_sizes(self) -> Values:
        """Every value that any size had."""
        names = dict.fromkeys(name for values in self.by_size.values() for name in values)
        return {name: frozenset().union(*(each.get(name, ()) for each in self.by_size.values())) for name in names}


def effective(evidence: Evidence, series: Series) -> tuple[Effective, ...]:
    """The values of every point, in the order of the file; empty if a program prints none."""
    return evidence.once(_of_all_series)[series.name]


def _of_all_series(evidence: Evidence) -> dict[str, tuple[Effective, ...]]:
    return {
        series.name: tuple(Effective(point, _by_size(evidence, series, point)) for point in series.points())
        for series in evidence.plan.experiment.series
    }


def moved(evidence: Evidence, series: Series, size: int) -> tuple[str, ...]:
    """The values that differ between the points of a sweep at one size, although the sweep does not vary them."""
    varied = {NAMES.get(name, name) for name in series.vary}
    values = [each.by_size.get(size, {}) for each in effective(evidence, series)]
    names = dict.fromkeys(name for each in values for name in each)
    return tuple(name for name in names if name not in varied and len({each.get(name) for each in values}) > 1)


def _by_size(evidence: Evidence, series: Series, point: Point) -> dict[int, Values]:
    found: dict[int, dict[str, set[int]]] = {}
    for header in _headers(evidence, series, point):
        for size in series.sizes(evidence.plan.site.name):
            for name, value in _VALUE.findall(header.get(f"size {size}", "")):
                if name not in ABOUT_COUNTS:
                    found.setdefault(size, {}).setdefault(name, set()).add(int(value))
    return {
        size: {name: frozenset(values) for name, values in by_name.items()} for size, by_name in sorted(found.items())
    }


def _headers(evidence: Evidence, series: Series, point: Point) -> Iterator[dict[str, str]]:
    for planned in evidence.plan.planned:
        facts = evidence.facts.get(planned.trial.key)
        if facts and planned.series.name == series.name and planned.point == point:
            yield facts.measured.header or {}


@dataclass(frozen=True)
class EffectiveTable:
    """A row for each series: its name, then its values."""

    heads: tuple[Markup, ...]
    rows: tuple[tuple[Markup, ...], ...]
    series: tuple[str, ...]


def effective_table(evidence: Evidence) -> EffectiveTable:
    """A row for each series with effective values in its records, from the least to the most over sizes and points."""
    found = [(series, row) for series in evidence.plan.experiment.series if (row := dict(_row(evidence, series)))]
    names = [name for name in SHOWN if any(name in row for _, row in found)]
    rows = tuple(
        (Markup(rf"\texttt{{{escape(series.name)}}}"), *(row.get(name, ABSENT) for name in names))
        for series, row in found
    )
    return EffectiveTable(tuple(Markup(SHOWN[name]) for name in names), rows, tuple(series.name for series, _ in found))


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
