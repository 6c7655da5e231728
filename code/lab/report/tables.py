"""The tables of a report, as rows of LaTeX cells."""

from __future__ import annotations

from dataclasses import dataclass

from lab.analysis.verdict import judge
from lab.report.claim import Ledger
from lab.report.escape import Markup
from lab.report.evidence import Evidence
from lab.report.ledger import curves, pairs
from lab.report.sweeps import points
from lab.report.typeset import cell, shown
from lab.report.units import show
from lab.sizes import format_size

MEGA = 1e6


@dataclass(frozen=True)
class SizeRow:
    """One size: what each series reached, and each ratio."""

    size: Markup
    messages: str
    rates: dict[str, Markup]
    ratios: dict[str, Markup]


@dataclass(frozen=True)
class GainRow:
    """One size of a sweep: the best value against the first."""

    series: str
    parameter: str
    size: Markup
    first: Markup
    best: Markup
    rate: Markup
    gain: Markup
    verdict: str


@dataclass(frozen=True)
class ParameterRow:
    """One parameter, as published and as run."""

    name: str
    published: Markup
    used: Markup
    source: str


def size_rows(evidence: Evidence, ledger: Ledger) -> list[SizeRow]:
    """A row for each size of the experiment."""
    names = [each.name for each in curves(evidence)]
    ratios = [f"{ours.series.name}_over_{base.series.name}" for ours, base in pairs(evidence)]
    rows = []
    for size in sorted(curves(evidence)[0].published.sizes):
        text = format_size(size)
        messages = evidence.cell(names[0], size, "messages").values[0]
        rates = {name: cell(ledger[f"{name}.{text}"].estimate, MEGA) for name in names if f"{name}.{text}" in ledger}
        compared = {name: cell(ledger[f"{name}.{text}"].estimate) for name in ratios if f"{name}.{text}" in ledger}
        rows.append(SizeRow(_size(size), str(messages), rates, compared))
    return rows


def gain_rows(evidence: Evidence, ledger: Ledger) -> list[GainRow]:
    """A row for each swept parameter and size."""
    rows = []
    for series in evidence.plan.experiment.series:
        if len(series.vary) != 1:
            continue
        (parameter,) = series.vary
        for size in points(evidence, series)[0].sizes:
            name = f"{series.name}.{format_size(size)}"
            gain, first, best = ledger[f"{name}.gain"], ledger[f"{name}.first"], ledger[f"{name}.best"]
            rate = ledger[f"{series.name}.{best.estimate.value:.0f}.{format_size(size)}"]
            rows.append(
                GainRow(
                    series.name,
                    parameter,
                    _size(size),
                    Markup(shown(first).tex),
                    Markup(shown(best).tex),
                    cell(rate.estimate, MEGA),
                    cell(gain.estimate),
                    judge(gain.estimate).value,
                )
            )
    return rows


def parameter_rows(ledger: Ledger) -> list[ParameterRow]:
    """Every parameter that reports quote, and the site's bounds on it."""
    rows = []
    for name, claim in ledger.items():
        group, _, parameter = name.partition(".")
        if group == "parameter":
            published = Markup(shown(ledger[f"published.{parameter}"]).tex)
            rows.append(ParameterRow(parameter, published, Markup(shown(claim).tex), claim.source))
        elif group == "profile":
            rows.append(ParameterRow(parameter, Markup("--"), Markup(shown(claim).tex), claim.source))
    return rows


def _size(size: int) -> Markup:
    return Markup(show(size, "size", 0).tex)
