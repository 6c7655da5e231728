"""The table of straight lines: bandwidth, intercept, and whether it agrees with what a small message takes."""

from __future__ import annotations

from dataclasses import dataclass

from lab.report.claim import Ledger
from lab.report.escape import Markup, escape
from lab.report.evidence import Evidence
from lab.report.fits import NS, Times
from lab.report.intercepts import intercepts
from lab.report.published_times import published_times
from lab.report.typeset import NO_INTERVAL, cell, shown

MEGA, MICRO, MILLI = 1e6, 1e-6, 1e-3


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
            cell(each.half_trip_ns(), MICRO / NS),
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


def _line(ledger: Ledger, times: Times, scale: float) -> tuple[Markup, ...]:
    """Whose, from and to, how many points, bandwidth, intercept, R squared."""
    claims = {name: ledger[f"{times.name}.{name}"] for name in ("low", "high", "rate", "intercept", "r2")}
    ends = (Markup(shown(claims[end]).tex) for end in ("low", "high"))
    rate, intercept = claims["rate"].estimate, claims["intercept"].estimate
    r_squared = Markup(shown(claims["r2"]).tex)
    return (escape(times.curve.words), *ends, Markup(str(rate.n)), cell(rate, MEGA), cell(intercept, scale), r_squared)
