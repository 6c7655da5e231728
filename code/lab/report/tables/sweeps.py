"""The table of sweeps: the gain of the best values over the first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.report.claims.ledger import AllClaims
from lab.report.claims.sweeps import SweepClaims
from lab.report.evidence.margin import verdict_words
from lab.report.tables.rows import size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import claim_cell, shown
from lab.report.tex.units import MEGA


@dataclass(frozen=True)
class GainRow:
    """One size of a sweep: the best values against the first."""

    series: Markup
    parameter: str
    size: Markup
    first: Markup
    best: Markup
    rate: Markup
    gain: Markup
    verdict: Markup  # and the values that moved with the varied ones


@dataclass(frozen=True)
class GainTable:
    """A row for each sweep and size, and the meaning of a verdict."""

    rows: tuple[GainRow, ...]
    about: str


def gain_table(claims: AllClaims) -> GainTable:
    """The gain of the best values of each sweep."""
    places = [(sweep, size) for sweep in claims.sweeps.values() for size in sweep.gains]
    about = verdict_words((sweep.gains[size].gain.estimate for sweep, size in places), claims.evidence.plan.site.traits)
    return GainTable(tuple(_gain_row(*place) for place in places), about)


def _gain_row(sweep: SweepClaims, size: int) -> GainRow:
    found = sweep.gains[size]
    moved = _typed(found.gain.moved)
    return GainRow(
        series=_typed([sweep.series.name]),
        parameter=", ".join(sweep.series.vary),
        size=size_cell(size),
        first=Markup(", ".join(shown(each).tex for each in found.first_values.values())),
        best=Markup(", ".join(shown(each).tex for each in found.best_values.values())),
        rate=claim_cell(sweep.rate_at_best(size), MEGA),
        gain=claim_cell(found.gain),
        verdict=Markup(found.gain.verdict.value + (f"; moved too: {moved}" if moved else "")),
    )


def _typed(names: Iterable[str]) -> Markup:
    return Markup(", ".join(rf"\texttt{{{escape(name)}}}" for name in names))
