"""The draft's sentences about a curve over sizes: its bends, jumps and falls, and its share of the link."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.verdict import Verdict, judge
from lab.report.claim import Claim
from lab.report.claims.ceilings import HEADERS
from lab.report.claims.ledger import AllClaims, CurveClaims
from lab.report.claims.shape import CurveStep, Shape
from lab.report.evidence.labels import is_ours, label
from lab.report.evidence.links import link_groups
from lab.report.moves import JUMP
from lab.report.prose.uses import cite
from lab.report.tex.escape import escape


def shape_sentences(claims: AllClaims) -> Iterator[str]:
    """The shape of each of our curves on the main link, and its share of every other link."""
    for place, group in enumerate(link_groups(claims.evidence)):
        for found in (claims.curves[each.name] for each in group.series if is_ours(each)):
            if found.shape is None:
                yield _only(found)
            elif place:
                yield _filled(found, found.shape)
            else:
                yield from _shape(escape(found.curve.words), found.shape, claims.constants.judging.margin)


def _only(found: CurveClaims) -> str:
    """A single size has no shape."""
    (only,) = found.rates.by_size.values()
    return rf"\par {escape(found.curve.words)} was measured at one size: its median throughput is {cite(only.rate)}."


def _shape(words: str, shape: Shape, margin: Claim) -> Iterator[str]:
    """The bends, jumps and falls of the curve, and its growth at the end."""
    yield rf"\par {words} reaches its highest median throughput, {cite(shape.peak)}, at {cite(shape.peak_size)}."
    if shape.knee:
        yield f"On logarithmic axes its curve bends once, at {cite(shape.knee)} by segmented regression."
    else:
        yield f"The curve of {words} has no knee that the data support: it bends gradually, or more than once."
    yield _jump(shape.jump, words)
    fall = shape.fall
    if fall.factor.verdict is Verdict.LESS:
        yield (
            f"From {cite(fall.start)} to {cite(fall.end)} the throughput of {words} "
            f"on the same link falls, to {cite(fall.factor)} times that at the size before."
        )
    if shape.level:
        yield _level(shape.level)
    yield _last(shape.last.factor, margin)


def _last(factor: Claim, margin: Claim) -> str:
    if factor.verdict is Verdict.MORE:
        return f"At the end it still grows: the last step multiplies it by {cite(factor)} on this link."
    if factor.verdict is Verdict.LESS:
        return f"The last step multiplies it by {cite(factor)} on this link: it has passed its peak."
    if factor.verdict is Verdict.WITHIN:
        return f"The last step multiplies it by {cite(factor)} on this link, a change of less than {cite(margin)}."
    return (
        f"The last step multiplies it by {cite(factor)} on this link; "
        f"the data leave open whether that is more than {cite(margin)}."
    )


def _filled(found: CurveClaims, shape: Shape) -> str:
    """The share of a link beside the main one that a curve reaches."""
    rate, share = "", ""
    if found.ceiling:
        rate = f" of {cite(found.ceiling.rate)}"
        share = f", which is {cite(found.ceiling.filled)} times {HEADERS}"
    return (
        rf"\par On its own link{rate}, {escape(label(found.curve.series))} reaches at most "
        f"{cite(shape.peak)}, at {cite(shape.peak_size)}{share}."
    )


def _jump(step: CurveStep, words: str) -> str:
    """A step is a jump where its whole interval says so: each message then takes less time than the smaller ones."""
    factor = f"multiplies the throughput of {words} on the same link by {cite(step.factor)}"
    if judge(step.growth(), margin=JUMP) is Verdict.MORE:
        return (
            f"From {cite(step.start)} to {cite(step.end)} it jumps: this, the steepest step for its sizes, {factor}, "
            "so that the larger message takes less time than the smaller one."
        )
    return (
        f"There is no jump: the steepest step for its sizes, from {cite(step.start)} to {cite(step.end)}, {factor}, so "
        "that no message takes clearly less time than the next smaller one."
    )


def _level(level: Claim) -> str:
    return f"From {cite(level)} on the curve saturates: no larger message moves it by more than a tenth."
