"""Sentences about the processor time of a message over each sweep."""

from __future__ import annotations

from collections.abc import Iterator

from lab.report.claims.ledger import AllClaims
from lab.report.claims.processor import ProcessorClaims, ProcessorSweep
from lab.report.evidence.labels import label
from lab.report.evidence.margin import margin_of
from lab.report.evidence.parameter_words import parameter_words
from lab.report.prose.uses import cite
from lab.report.tex.escape import escape
from lab.report.tex.units import in_words


def spent_sentences(claims: AllClaims) -> Iterator[str]:
    """One for each sweep: what its smallest messages take their sender at least and at most."""
    margin = margin_of(claims.evidence.plan.site.traits)
    for found in claims.processor_sweeps:
        yield _sentence(found, margin)


def _sentence(found: ProcessorSweep, margin: float) -> str:
    least, most = found.reach
    varied = " and ".join(map(parameter_words, found.series.vary))
    about = f"{escape(label(found.series))}, {escape(varied)}: a message of {in_words(found.sizes[0])} takes the client"
    if found.smallest(most) <= (1 + margin) * found.smallest(least):
        return f"{about} {cite(found.at(least))} at every value, within the margin."
    return f"{about} {_at(found, least)} at least, and {_at(found, most)} at most."


def _at(found: ProcessorSweep, point: ProcessorClaims) -> str:
    values = " and ".join(rf"\texttt{{{escape(name)}}} {value}" for name, value in point.curve.point.items())
    return f"{cite(found.at(point))} ({values})"
