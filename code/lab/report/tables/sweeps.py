"""The table of sweeps: the gain of the best values over the first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.report.evidence.curve import Subject
from lab.report.evidence.effective import moved
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.margin import verdict_words
from lab.report.tables.rows import size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import answer_cell
from lab.report.tex.units import MEGA, number_tex
from lab.report.topics.curves import rate
from lab.report.topics.sweeps import Sweep, all_sweeps


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


def gain_table(evidence: Evidence) -> GainTable:
    """The gain of the best values of each sweep."""
    places = [(sweep, size) for sweep in all_sweeps(evidence) for size in sweep.gains]
    estimates = (sweep.gains[size].answer.estimate for sweep, size in places)
    about = verdict_words(estimates, evidence.plan.site.traits)
    return GainTable(tuple(_gain_row(evidence, *place) for place in places), about)


def _gain_row(evidence: Evidence, sweep: Sweep, size: int) -> GainRow:
    gain, loose = sweep.gains[size], _typed(moved(evidence, sweep.series, size))
    return GainRow(
        series=_typed([sweep.series.name]),
        parameter=", ".join(sweep.series.vary),
        size=size_cell(size),
        first=_values(sweep.curves[0]),
        best=_values(gain.best),
        rate=answer_cell(rate(gain.best, size), MEGA),
        gain=answer_cell(gain.answer),
        verdict=Markup(gain.verdict.value + (f"; moved too: {loose}" if loose else "")),
    )


def _values(curve: Subject) -> Markup:
    return Markup(", ".join(number_tex(f"{float(value):.12g}") for value in curve.point.values()))


def _typed(names: Iterable[str]) -> Markup:
    return Markup(", ".join(rf"\texttt{{{escape(name)}}}" for name in names))
