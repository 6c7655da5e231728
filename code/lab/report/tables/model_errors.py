"""The table of a modelled card's errors, a row for each size, a column for each report; and impossible reports."""

from __future__ import annotations

from lab.report.evidence.evidence import Evidence
from lab.report.tables.rows import RowTable, cell_if, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import shown
from lab.report.tex.units import show_exactly
from lab.report.topics.published import impossible_rates, model_errors

DIGITS = 4  # of a published rate


def error_table(evidence: Evidence) -> RowTable:
    """Empty where the experiment has no card, or nothing was published for it."""
    found = list(model_errors(evidence))
    sizes = sorted({size for errors in found for size in errors.by_size})
    names = [errors.curve.series.name for errors in found]
    heads = tuple(
        Markup(rf"\labhead{{{escape(name)}}}{{{escape(errors.label)}}}")
        for name, errors in zip(names, found, strict=True)
    )
    rows = [(size_cell(size), *(cell_if(errors.by_size.get(size)) for errors in found)) for size in sizes]
    last = (Markup("median"), *(cell_if(errors.median) for errors in found))
    bare = "the median without one"
    return RowTable(heads, (*rows, last) if rows else (), tuple(dict.fromkeys(names)), bare=bare)


def impossible(evidence: Evidence) -> list[Markup]:
    """A sentence for each published curve that its modelled link cannot carry."""
    return [
        Markup(
            f"{escape(found.label)} reaches {shown(found.rate, DIGITS).tex}, which is more than the "
            f"{show_exactly(found.link_bit_s, 'bit/s').tex} link by which it is modelled can carry: "
            "it was measured on another link."
        )
        for found in impossible_rates(evidence.plan.experiment.name)
    ]
