"""The table of straight lines: bandwidth, intercept, and whether it agrees with what a small message takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.report.claim import Ledger
from lab.report.claims.intercepts import intercepts
from lab.report.claims.lines import Times
from lab.report.claims.published_times import published_times
from lab.report.evidence.evidence import Evidence
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import NO_INTERVAL, cell, claim_cell, shown
from lab.report.tex.units import MEGA, MICRO, MILLI, NANO


@dataclass(frozen=True)
class FitTable:
    """A row for each line."""

    rows: tuple[tuple[Markup, ...], ...]
    series: tuple[str, ...]


def fit_table(evidence: Evidence, ledger: Ledger) -> FitTable:
    """Every line that has small messages beside it."""
    found = list(intercepts(evidence))
    rows = tuple(
        (
            *_line(ledger, each.times, MICRO),
            cell(replace(each.half_trip_ns(), interval=None), MICRO / NANO),  # which the table of latencies has
            Markup("yes" if each.agrees() else "no"),
        )
        for each in found
    )
    names = [name for each in found for name in (each.times.curve.name, each.small.name)]
    return FitTable(rows, tuple(dict.fromkeys(names)))


def published_fit_table(experiment: str, ledger: Ledger) -> FitTable:
    """The same of published times, beside which no small message was measured."""
    lines = [part for each in published_times(experiment) for part in (each.times(), each.times().upper())]
    return FitTable(tuple((*_line(ledger, each, MILLI), NO_INTERVAL, NO_INTERVAL) for each in lines), ())


def _line(ledger: Ledger, times: Times, scale: float) -> Iterator[Markup]:
    """Whose, from and to, how many repetitions, bandwidth beside the fastest message, intercept, R squared."""
    yield Markup(r"\quad " * times.part.count(".") + escape(times.curve.words))
    for name in ("low", "high"):
        yield Markup(shown(ledger[f"{times.name}.{name}"]).tex)
    yield Markup(str(len(times.rows)))
    for name, unit in (("rate", MEGA), ("fastest", MEGA), ("intercept", scale)):
        claim = ledger.get(f"{times.name}.{name}")
        yield _break(ledger, times) if claim is None else claim_cell(claim, unit)
    r_squared = ledger.get(f"{times.name}.r2")
    yield Markup(shown(r_squared).tex) if r_squared else NO_INTERVAL


def _break(ledger: Ledger, times: Times) -> Markup:
    """The interval of a line's break, in the place of its rate."""
    ends = [ledger.get(f"{times.name}.break.{end}") for end in ("from", "to")]
    low, high = (shown(end).tex if end else "" for end in ends)
    return Markup(rf"{{\scriptsize[{low}, {high}]}}") if low and high else NO_INTERVAL
