"""The draft's sentences about each end's own calls."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.verdict import Verdict, judge
from lab.report.claim import Claim
from lab.report.claims.ledger import AllClaims
from lab.report.claims.sides import SideClaims
from lab.report.prose.uses import cite
from lab.report.tables.sides import by_end, verdict
from lab.report.tex.escape import escape

STEP = 0.05  # of a call's time, within two bytes


def side_sentences(claims: AllClaims) -> Iterator[str]:
    """Both variants of each end, and whether the data can tell them apart."""
    for found in claims.sides.values():
        for variants in by_end(found).values():
            yield from map(_sentence, variants)
            yield _difference(variants, claims.constants.judging.margin)


def _sentence(found: SideClaims) -> str:
    words = escape(found.side.words)
    if found.knee is None:
        return (
            rf"\par The {words} has no knee that the data support: "
            f"over all sizes it takes {cite(found.below)} in the mean."
        )
    rate = f", and from there on {cite(found.above)} by its slope" if found.above else ""
    return (
        rf"\par The {words} takes {cite(found.below)} in the mean up to its knee at {cite(found.knee)}{rate}."
        f"{_step(found)}"
    )


def _step(found: SideClaims) -> str:
    """Whether the knee is rather a step: within two bytes the time grows by more than noise."""
    grown = [each for each in found.steps.values() if judge(each.estimate, margin=STEP) is Verdict.MORE]
    if not grown:
        return ""
    return (
        " It is a step and no change of slope: from a byte below to a byte above, "
        f"the time of a message grows to {cite(grown[0])} times what it was, on the same link."
    )


def _difference(variants: list[SideClaims], margin: Claim) -> str:
    """The comparison by means, since every curve has them."""
    differ = verdict([each.below for each in variants], variants[0].side.curve.margin) == "yes"
    names = " and ".join(each.side.variant for each in variants)
    if differ:
        return (
            f"Between the intervals of these means, {names}, lies more than the margin of {cite(margin)}: "
            "the two calls take different times here."
        )
    return (
        f"The intervals of these means, {names}, leave no gap wider than the margin of {cite(margin)}: "
        "the data cannot tell the two calls apart."
    )
