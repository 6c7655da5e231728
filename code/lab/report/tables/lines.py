"""The table of straight lines: bandwidth, intercept, and whether it agrees with the time of a small message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.report.claims.ledger import AllClaims
from lab.report.claims.lines import BreakClaims, LineClaims
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import NO_INTERVAL, cell, claim_cell, shown
from lab.report.tex.units import MEGA, MICRO, MILLI, NANO


@dataclass(frozen=True)
class FitTable:
    """A row for each line."""

    rows: tuple[tuple[Markup, ...], ...]
    series: tuple[str, ...]


def fit_table(claims: AllClaims) -> FitTable:
    """Every line that has small messages beside it."""
    found = [each.intercept for each in claims.intercepts]
    rows = tuple(
        (
            *_line(each.line, each.broken, MICRO),
            cell(replace(each.half_trip_ns(), interval=None), MICRO / NANO),  # which the table of latencies has
            Markup("yes" if each.agrees() else "no"),
        )
        for each in found
    )
    names = [name for each in found for name in (each.times.curve.name, each.small.name)]
    return FitTable(rows, tuple(dict.fromkeys(names)))


def published_fit_table(claims: AllClaims) -> FitTable:
    """The same of published times, beside which no small message was measured."""
    found = [fit for each in claims.published_times for fit in (each.fit, each.upper) if fit]
    return FitTable(tuple((*_line(each.line, each.broken, MILLI), NO_INTERVAL, NO_INTERVAL) for each in found), ())


def _line(line: LineClaims, broken: BreakClaims | None, scale: float) -> Iterator[Markup]:
    """A row: the series, its sizes, repetitions, bandwidth beside the fastest message, intercept, R squared."""
    times = line.times
    yield Markup(r"\quad " * times.part.count(".") + _narrow(times.curve.words))
    yield from (Markup(shown(each).tex) for each in (line.low, line.high))
    yield Markup(str(len(times.rows)))
    yield claim_cell(line.rate, MEGA) if line.rate else _break(broken)
    yield claim_cell(line.fastest, MEGA)
    yield claim_cell(line.intercept, scale)
    yield Markup(shown(line.r_squared).tex) if line.r_squared else NO_INTERVAL


def _narrow(words: str) -> Markup:
    """What takes the messages to the wire stands below the series."""
    series, bracket, rest = words.partition(" (")
    return Markup(rf"\lablines{{{escape(series)}}}{{{escape(bracket.strip() + rest)}}}") if rest else escape(series)


def _break(broken: BreakClaims | None) -> Markup:
    """The interval of a line's break, in the place of its rate."""
    if broken and broken.start and broken.end:
        return Markup(rf"\labinterval{{{shown(broken.start).tex}, {shown(broken.end).tex}}}")
    return NO_INTERVAL
