"""Tables of the calls of each end: size by size, and the few rows of the published report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from lab.analysis.verdict import apart
from lab.report.answer import Answer
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import label
from lab.report.tables.rows import RowTable, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import NO_INTERVAL, answer_cell
from lab.report.tex.units import MEGA, MICRO, number_tex
from lab.report.topics.published import PublishedValues, published_values
from lab.report.topics.sides import SideCurve, all_sides


@dataclass(frozen=True)
class PublishedRow:
    """A row of the published report: the lab's value, its words, the published quantity and its scale, and what stands
    where the lab has no value."""

    of: Callable[[SideCurve], Answer | None]
    words: str
    published: str
    scale: float
    absent: Callable[[SideCurve], Markup] = lambda _: NO_INTERVAL


def _no_knee(side: SideCurve) -> Markup:
    """Where the time leaps, the two sizes between which it does."""
    return Markup(f"step, {side.leap[0]} to {side.leap[1]}") if side.leap else Markup("none")


ROWS = (
    PublishedRow(SideCurve.below, r"mean below the knee, \unit{\micro\second}", "latency", MICRO),
    PublishedRow(SideCurve.knee_size, r"knee, \unit{\byte}", "buffer_size", 1.0, _no_knee),
    PublishedRow(SideCurve.above, r"1/slope above it, \unit{\mega\byte\per\second}", "bandwidth", MEGA),
)


@dataclass(frozen=True)
class SideTable:
    """One table of a series; the name tells it from the others."""

    name: Markup
    words: str
    table: RowTable


def size_tables(evidence: Evidence) -> list[SideTable]:
    """Mean, deviation and median of every size, a table for each end of each series."""
    return [
        SideTable(Markup(f"{name}.{end}"), f"{end} of {label(of[0].curve.series)}", _by_size(name, of))
        for name, of_both in evidence.once(all_sides).items()
        for end, of in by_end(of_both).items()
    ]


def by_end(of_both: Iterable[SideCurve]) -> dict[str, list[SideCurve]]:
    """The curves of each end, all varied values."""
    found: dict[str, list[SideCurve]] = {}
    for side in of_both:
        found.setdefault(side.side, []).append(side)
    return found


def _by_size(series: str, of_end: list[SideCurve]) -> RowTable:
    kinds = ("mean", "deviation", "median")
    heads = tuple(Markup(rf"\labhead{{{escape(side.variant)}}}{{{kind}}}") for side in of_end for kind in kinds)
    sizes = of_end[0].curve.sizes
    rows = tuple((size_cell(size), *(cell for side in of_end for cell in _cells(side, size))) for size in sizes)
    return RowTable(heads, rows, (series,))


def _cells(side: SideCurve, size: int) -> Iterator[Markup]:
    """Only the mean has its interval there, since the table would be too wide."""
    answers = side.deviation(size), side.median(size)
    alone = (replace(answer, estimate=replace(answer.estimate, interval=None)) for answer in answers)
    yield from (answer_cell(answer, MICRO) for answer in (side.mean(size), *alone))


def published_rows(evidence: Evidence) -> list[SideTable]:
    """The rows of the published report for each series: both calls, whether they differ, and the published value."""
    return [
        SideTable(Markup(name), label(of_both[0].curve.series), _rows(name, of_both, theirs))
        for name, of_both in evidence.once(all_sides).items()
        for theirs in published_values(evidence.plan.experiment.name)
    ]


def _rows(series: str, of_both: tuple[SideCurve, ...], theirs: PublishedValues) -> RowTable:
    ends = by_end(of_both)
    rows = tuple(_row(row, end, of_end, theirs) for row in ROWS for end, of_end in ends.items())
    variants = (escape(side.variant) for side in next(iter(ends.values())))
    others = (Markup(rf"\labhead{{published}}{{{escape(variant)}}}") for variant in theirs.variants)
    return RowTable((*variants, Markup("differ"), *others), rows, (series,))


def _row(row: PublishedRow, end: str, of_end: list[SideCurve], theirs: PublishedValues) -> tuple[Markup, ...]:
    answers = [row.of(side) for side in of_end]
    pairs = zip(answers, of_end, strict=True)
    measured = (answer_cell(answer, row.scale) if answer else row.absent(side) for answer, side in pairs)
    differ = verdict(answers, of_end[0].curve.margin) if all(answers) else NO_INTERVAL
    values = (_exactly(theirs.values[f"{end}_{row.published}", variant], row.scale) for variant in theirs.variants)
    return (Markup(f"{end}: {row.words}"), *measured, differ, *values)


def _exactly(answer: Answer, scale: float) -> Markup:
    """A published number, to the digits that were published."""
    return Markup(number_tex(f"{answer.estimate.value / scale:.12g}"))


def verdict(answers: Iterable[Answer | None], margin: float = 0.0) -> Markup:
    """Whether a gap lies between two intervals, and whether it is wider than the margin; without both of them the data
    can't tell."""
    estimates = [answer.estimate for answer in answers if answer]
    if len(estimates) != 2 or not apart(estimates[0], estimates[1]):
        return Markup("can't tell")
    if apart(estimates[0], estimates[1], margin):
        return Markup("yes")
    return Markup(rf"under \qty{{{100 * margin:g}}}{{\percent}}")


def probe_tables(evidence: Evidence) -> list[SideTable]:
    """A row for each curve of a series, a column for each size that was probed by a byte less and a byte more."""
    return [
        SideTable(Markup(name), label(of_both[0].curve.series), _probes(name, of_both))
        for name, of_both in evidence.once(all_sides).items()
    ]


def _probes(series: str, of_both: tuple[SideCurve, ...]) -> RowTable:
    rows = tuple((escape(f"{side.side}, {side.variant}"), *map(answer_cell, side.steps().values())) for side in of_both)
    return RowTable(tuple(map(size_cell, of_both[0].steps())), rows, (series,))
