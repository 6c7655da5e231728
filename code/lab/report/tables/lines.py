"""The table of straight lines: bandwidth, intercept, and whether it agrees with the time of a small message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.analysis.estimate import Estimate
from lab.report.evidence.evidence import Evidence
from lab.report.tables.rows import size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import NO_INTERVAL, answer_cell, cell
from lab.report.tex.units import MEGA, MICRO, MILLI, NANO, number_tex
from lab.report.topics.latency import lines_beside
from lab.report.topics.lines import Times
from lab.report.topics.published import published_times

R_SQUARED_PLACES = 5


@dataclass(frozen=True)
class FitTable:
    """A row for each line."""

    rows: tuple[tuple[Markup, ...], ...]
    series: tuple[str, ...]


def fit_table(evidence: Evidence) -> FitTable:
    """Every line that has small messages beside it."""
    lines = list(lines_beside(evidence))
    rows = tuple(
        (
            *_line(line.times, MICRO, is_piece=line.is_piece),
            cell(replace(line.small_ns(), interval=None), MICRO / NANO),  # which the table of latencies has
            Markup("yes" if line.agrees() else "no"),
        )
        for line in lines
    )
    names = [name for line in lines for name in (line.times.curve.name, line.small.name)]
    return FitTable(rows, tuple(dict.fromkeys(names)))


def published_fit_table(evidence: Evidence) -> FitTable:
    """The lines of published times, beside which no small message was measured."""
    published = (theirs.times() for theirs in published_times(evidence.plan.experiment.name))
    lines = [times for whole in published if whole.are_enough for times in (whole, whole.upper())]
    return FitTable(tuple((*_line(times, MILLI), NO_INTERVAL, NO_INTERVAL) for times in lines), ())


def _line(times: Times, scale: float, *, is_piece: bool = False) -> Iterator[Markup]:
    """A row: the series, its sizes, repetitions, bandwidth beside the fastest message, intercept, R squared."""
    line = times.line()
    yield Markup(r"\quad " * is_piece + _narrow(times.curve.words))
    yield from (size_cell(round(size)) for size in (line.low, line.high))
    yield Markup(str(len(times.rows)))
    yield _rate(times, is_piece=is_piece)
    yield answer_cell(times.answer(Estimate(times.fastest()[0], None, line.n), "B/s"), MEGA)
    yield answer_cell(times.intercept(), scale)
    r_squared = line.r_squared
    yield NO_INTERVAL if r_squared is None else Markup(number_tex(f"{round(r_squared, R_SQUARED_PLACES):.12g}"))


def _narrow(words: str) -> Markup:
    """What takes the messages to the wire stands below the series."""
    series, bracket, rest = words.partition(" (")
    return Markup(rf"\lablines{{{escape(series)}}}{{{escape(bracket.strip() + rest)}}}") if rest else escape(series)


def _rate(times: Times, *, is_piece: bool) -> Markup:
    """The rate of a line that the times follow; in the place of another's the interval of its break."""
    pieces = None if is_piece else times.pieces()
    if pieces is None:
        rate = times.rate()
        return answer_cell(rate, MEGA) if rate else NO_INTERVAL
    if pieces.at.interval is None:
        return NO_INTERVAL
    ends = (size_cell(round(end)) for end in (pieces.at.interval.low, pieces.at.interval.high))
    return Markup(rf"\labinterval{{{', '.join(ends)}}}")
