"""The draft's sentences about each end's own calls."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.verdict import Verdict, judge
from lab.report.claims.calls import CallsClaims
from lab.report.claims.ledger import AllClaims
from lab.report.claims.sides import SideClaims
from lab.report.evidence.labels import label
from lab.report.prose.uses import cite
from lab.report.tables.sides import by_end
from lab.report.tex.escape import escape


def side_sentences(claims: AllClaims) -> Iterator[str]:
    """Both variants of each end, and whether the data can tell them apart."""
    for series, found in claims.sides.items():
        beside = {each.end: each for each in claims.calls[series]}
        for end, variants in by_end(found).items():
            yield from _times(variants)
            if end in beside:
                yield f"{difference(beside[end])} {size_by_size(beside[end])}"


def _times(variants: list[SideClaims]) -> Iterator[str]:
    """In one sentence where the curves have one shape."""
    if len(variants) == 2 and (together := _together(*variants)):
        yield rf"\par {together}"
    else:
        yield from map(_sentence, variants)


def _together(first: SideClaims, second: SideClaims) -> str:
    side = first.side
    mean = (
        f"The {side.side} of {escape(label(side.curve.series))} takes {cite(first.below)} {side.variant} and "
        f"{cite(second.below)} {second.side.variant} in the mean"
    )
    if first.leap and second.leap and first.leap.below == second.leap.below:
        return (
            f"{mean} up to {cite(first.leap.start)}, and with messages of {cite(first.leap.end)} abruptly "
            f"{cite(first.leap.factor)} and {cite(second.leap.factor)} times as long, on the same link: "
            "a step, not a change of slope."
        )
    if not (first.leap or second.leap or first.knee or second.knee):
        return f"{mean} over all sizes; neither has a knee that the data support."
    if first.knee and second.knee and bool(first.above) is bool(second.above):
        above = (
            f", and from there on {cite(first.above)} and {cite(second.above)} by the slopes"
            if first.above and second.above
            else ""
        )
        return f"{mean} up to the knees at {cite(first.knee)} and at {cite(second.knee)}{above}."
    return ""


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


def is_told_apart(found: CallsClaims) -> bool:
    """Whether the interval of the difference leaves out zero."""
    return judge(found.difference.estimate, 0.0) is not Verdict.CANT_TELL


def difference(found: CallsClaims) -> str:
    """What one call takes more than the other, in the mean over all sizes."""
    if not is_told_apart(found):
        return "In the mean over all sizes the data cannot tell the two calls apart."
    return f"In the mean over all sizes {beside_each_other(found)}."


def beside_each_other(found: CallsClaims) -> str:
    """Which call takes longer, and by how much."""
    more = "more" if found.is_longer else "less"
    return (
        f"a {found.second} {found.end} of {escape(found.words)} takes {cite(found.difference)} {more} than a "
        f"{found.first} one"
    )


def size_by_size(found: CallsClaims) -> str:
    """A mean over sizes may hide what each of them shows."""
    if not found.apart.estimate.value:
        return "At no single size do their intervals leave a gap."
    start = f"Size by size their intervals leave a gap at {cite(found.apart)} of {cite(found.sizes)} sizes"
    if not found.longer.estimate.value:
        return f"{start}, where the {found.second} {found.end} takes less time."
    if found.longer.estimate.value == found.apart.estimate.value:
        return f"{start}, where the {found.second} {found.end} takes longer."
    return f"{start}; the {found.second} {found.end} takes longer at {cite(found.longer)} of these."
