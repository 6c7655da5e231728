"""What the draft says of straight lines and of small messages beside them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from lab.model.sizes import format_size
from lab.report.claim import Ledger
from lab.report.claims.intercepts import Intercept, intercepts
from lab.report.draft.lines import rate_words
from lab.report.evidence.evidence import Evidence
from lab.report.tex.escape import escape

NEITHER = "No interval of an intercept reaches what the small message took, so none stands for the time of one."
SOME = "Whether such an intercept says how long a small message takes depends on which sizes the line goes through."
ALL = "All these intervals hold what the small message took, which speaks for a single cost of a message at every size."


def line_sentences(evidence: Evidence, ledger: Ledger) -> Iterator[str]:
    """Of each series the lines, and their intercepts against the smallest message."""
    for _, found in groupby(intercepts(evidence), key=lambda each: each.times.curve.name):
        yield from _sentences(list(found), ledger)


def _sentences(found: list[Intercept], ledger: Ledger) -> Iterator[str]:
    curve, small = found[0].times.curve, f"{found[0].small.name}.{format_size(found[0].smallest)}"
    yield rf"\par A straight line was laid through the times of {escape(curve.words)}."
    yield from rate_words(f"{curve.name}.fit", ledger)
    yield "Another went through the larger half of the sizes."
    yield from rate_words(f"{curve.name}.upper", ledger)
    *all_but_last, last = (_intercept(each) for each in found)
    yield (
        rf"Half of the round trip of the smallest message on the same link took \claim{{{small}.half_trip}}; "
        rf"the intercepts are, line by line, {', '.join(all_but_last)} and {last}."
    )
    agree = sum(each.agrees() for each in found)
    yield NEITHER if not agree else ALL if agree == len(found) else SOME


def _intercept(found: Intercept) -> str:
    """Of a negative one no multiple says anything."""
    return rf"\claim{{{found.times.name}.over_small}} times that" if found.over_small().value > 0 else "below zero"
