"""The draft's sentences about each end's own calls."""

from __future__ import annotations

from collections.abc import Iterator

from lab.report.claim import Claim
from lab.report.claims.calls import CallsClaims
from lab.report.claims.ledger import AllClaims
from lab.report.claims.sides import SideClaims
from lab.report.prose.uses import cite
from lab.report.tables.sides import by_end, verdict
from lab.report.tex.escape import escape


def side_sentences(claims: AllClaims) -> Iterator[str]:
    """Both variants of each end, and whether the data can tell them apart."""
    margin = claims.constants.judging.margin
    for series, found in claims.sides.items():
        beside = {each.end: each for each in claims.calls[series]}
        for end, variants in by_end(found).items():
            yield from map(_sentence, variants)
            if end in beside:
                yield _difference(variants, margin)
                yield size_by_size(beside[end], margin)


def _sentence(found: SideClaims) -> str:
    words = escape(found.side.words)
    if found.leap:
        return (
            rf"\par The {words} takes {cite(found.below)} in the mean up to {cite(found.leap.start)}, "
            f"and with messages of {cite(found.leap.end)} abruptly {cite(found.leap.factor)} times as long, "
            "on the same link: a step, not a change of slope."
        )
    if found.knee is None:
        return (
            rf"\par The {words} has no knee that the data support: "
            f"over all sizes it takes {cite(found.below)} in the mean."
        )
    rate = f", and from there on {cite(found.above)} by its slope" if found.above else ""
    return rf"\par The {words} takes {cite(found.below)} in the mean up to its knee at {cite(found.knee)}{rate}."


def _difference(variants: list[SideClaims], margin: Claim) -> str:
    """The comparison by means, since every curve has them."""
    differ = verdict([each.below for each in variants], variants[0].side.curve.margin) == "yes"
    names = " and ".join(each.side.variant for each in variants)
    if differ:
        return (
            f"Between the intervals of these means, {names}, lies a gap of more than the margin, {cite(margin)}: "
            "the two calls take different times here."
        )
    return (
        f"The intervals of these means, {names}, leave no gap wider than the margin of {cite(margin)}: "
        "by them the data cannot tell the two calls apart."
    )


def size_by_size(found: CallsClaims, margin: Claim) -> str:
    """A mean over sizes may hide what each of them shows."""
    if not found.apart.estimate.value:
        return f"Nor do they differ by more than {cite(margin)} at any size by itself."
    where = f"{cite(found.apart)} of {cite(found.sizes)} sizes"
    start = f"Size by size they lie apart by more than {cite(margin)} at {where}"
    if not found.longer.estimate.value:
        return f"{start}, where the {found.second} call takes less time."
    if found.longer.estimate.value == found.apart.estimate.value:
        return f"{start}, where the {found.second} call takes longer."
    return f"{start}; the {found.second} call takes longer at {cite(found.longer)} of these."
