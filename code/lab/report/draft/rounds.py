"""The draft's sentences about rounds repeated until they agree."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.verdict import Verdict
from lab.report.claims.ledger import AllClaims
from lab.report.claims.rounds import RoundClaims, Rounds, RoundsClaims
from lab.report.claims.twins import TwinClaims
from lab.report.evidence.labels import label
from lab.report.prose.uses import cite
from lab.report.tex.escape import escape
from lab.report.tex.units import show

NO_PROMISE = (
    "The stop rule speaks of the rounds that it looked at, and of nothing else: rounds that agree with one another "
    "need not agree with those of another trial."
)


def rounds_sentences(claims: AllClaims) -> Iterator[str]:
    """The number of settled sizes of each curve, the largest effect of the correction, and what the rule promises."""
    curves = over_sizes(claims)
    for found in curves:
        yield rf"\par {agreed(found)}"
        yield from _loose(found)
        yield correction(found)
    if any(found.unsettled.estimate.value for found in curves):
        yield r"\par Rounds that did not agree are a result, and no gap in the data."
    if twins := worst_twin(claims):
        yield rf"\par {twin(twins)}"
        yield NO_PROMISE


def over_sizes(claims: AllClaims) -> list[RoundsClaims]:
    """The curves that vary nothing but the size, those over a card first."""
    found = [each for each in claims.rounds if not each.curve.point]
    return sorted(found, key=lambda each: not each.curve.series.link.card)


def agreed(found: RoundsClaims) -> str:
    """The number of sizes at which the search came to its end."""
    start = f"The rounds of {escape(found.curve.words)} agreed in every repetition at"
    if not found.unsettled.estimate.value:
        return f"{start} all {cite(found.agreed)} sizes."
    return (
        f"{start} {cite(found.agreed)} sizes; at {cite(found.unsettled)} others some repetition used up all rounds "
        "that it was allowed."
    )


def correction(found: RoundsClaims) -> str:
    """The answer to what a subtraction changes."""
    largest = found.by_size[int(found.share_size.estimate.value)]
    most = f"What is taken off is at most {cite(largest.share)} of a round's time, at {cite(found.share_size)}"
    if not found.refused.estimate.value:
        return f"{most}."
    return f"{most}; at {cite(found.refused)} of the sizes that is too large a part to be taken off."


def _loose(found: RoundsClaims) -> Iterator[str]:
    """The size at which rounds lie furthest apart, where some did not agree."""
    loose = [each for each in found.by_size.values() if each.rounds.reached < len(each.rounds.counts)]
    if loose:
        worst = max(loose, key=_spread)
        yield (
            f"The rounds of {escape(found.curve.words)} differ most with messages of {_size(worst.rounds)}, by a "
            f"factor of {cite(worst.spread)} within a repetition."
        )


def _spread(each: RoundClaims) -> float:
    return each.spread.estimate.value


def worst_twin(claims: AllClaims) -> TwinClaims | None:
    """Of the series that measured the same and came out otherwise, those that lie furthest apart."""
    apart = [each for each in claims.twins if each.ratio.verdict in (Verdict.MORE, Verdict.LESS)]
    return max(apart, key=lambda each: abs(each.ratio.estimate.value - 1), default=None)


def twin(found: TwinClaims) -> str:
    """Two trials that did the same and came to other rates."""
    ours, base = (rf"\texttt{{{escape(each.curve.series.name)}}}" for each in (found.ours, found.base))
    return (
        f"The series {ours} measured once more what {base} had measured: {escape(label(found.ours.curve.series))} with "
        f"messages of {_size(found.ours)} on the same link, as many of them in a round. "
        f"The rounds of {ours} agreed in {_often(found.ours)}, those of {base} in {_often(found.base)}. "
        f"Yet the throughput of {ours} is {cite(found.ratio)} times that of {base}."
    )


def twin_briefly(found: TwinClaims) -> str:
    """The same in one sentence."""
    ours, base = (rf"\texttt{{{escape(each.curve.series.name)}}}" for each in (found.ours, found.base))
    return (
        f"The throughput of the series {ours} is {cite(found.ratio)} times that of {base}, which did the same with "
        f"messages of {_size(found.ours)}."
    )


def _often(found: Rounds) -> str:
    if found.reached == len(found.counts):
        return "every repetition"
    return "some of the repetitions" if found.reached else "none"


def _size(found: Rounds) -> str:
    """One of those that the experiment chose."""
    return show(found.size, "size", 0).tex
