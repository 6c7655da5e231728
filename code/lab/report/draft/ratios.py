"""The draft's sentences about one program over another."""

from __future__ import annotations

from collections.abc import Iterator

from lab.report.claim import Claim
from lab.report.claims.ledger import AllClaims
from lab.report.claims.ratios import RatioClaims
from lab.report.evidence.handing import handed_otherwise
from lab.report.evidence.links import link_groups
from lab.report.evidence.pairs import Sort
from lab.report.prose.listing import listed
from lab.report.prose.uses import cite
from lab.report.tex.escape import escape


def ratio_sentences(claims: AllClaims) -> Iterator[str]:
    """Every pair on the main link, and the ratios that remain with another way to hand messages over."""
    main = [group.link for group in link_groups(claims.evidence)[:1]]
    found = [
        each for each in claims.ratios if each.pair.sort is not Sort.VARIANT and each.pair.ours.series.link in main
    ]
    for each in found:
        yield rf"\par {ratio_words(each, claims.constants.judging.margin)}"
    if judged := [cite(each.false) for each in found if not is_open(each)]:
        verdicts = "verdicts, in their order," if len(judged) > 1 else "verdicts"
        yield rf"\par If nothing differed, at most {listed(judged)} of these {verdicts} would be false on average."
    yield from _handed(claims)


def ratio_words(found: RatioClaims, margin: Claim) -> str:
    """The faster side and its factor, in as few words as the verdicts need."""
    if is_open(found):
        return open_words(found, margin)
    return f"{counts_words(found, margin)} {range_words(found)}"


def is_open(found: RatioClaims) -> bool:
    """Whether no size has a verdict."""
    return found.unclear.estimate.value == len(found.by_size)


def range_words(found: RatioClaims) -> str:
    """The least and the most of the ratios."""
    return (
        f"The ratio to {escape(found.pair.base.words)} goes from {cite(found.least.ratio)} at {cite(found.least.size)} "
        f"to {cite(found.most.ratio)} at {cite(found.most.size)}."
    )


def open_words(found: RatioClaims, margin: Claim) -> str:
    """Of a pair without a verdict: the ratios, and why they say nothing."""
    least, most = found.least, found.most
    ahead, behind = escape(found.pair.ours.words), escape(found.pair.base.words)
    blank = least.ratio.estimate.interval is None
    near = f"its intervals include equality, or come within {cite(margin)} of it, at every size"
    why = "too few repetitions leave it no interval" if blank else near
    return (
        rf"The ratio of {ahead} to {behind} on the same link lies between {cite(least.ratio)} and "
        f"{cite(most.ratio)} over the sizes, but {why}, so the data cannot tell which of them has the edge."
    )


def counts_words(found: RatioClaims, margin: Claim) -> str:
    """At how many sizes either is ahead; a count of none is not mentioned."""
    ahead, behind = escape(found.pair.ours.words), escape(found.pair.base.words)
    faster, slower, unclear = (each.estimate.value for each in (found.faster, found.slower, found.unclear))
    if len(found.by_size) in (faster, slower):
        place, count = ("ahead of", found.faster) if faster else ("behind", found.slower)
        return f"{ahead} is {place} {behind} on the same link at all {cite(count)} sizes, by more than {cite(margin)}."
    more = f"ahead of {behind} on the same link at {cite(found.faster)}"
    less = f"behind {behind} on the same link at {cite(found.slower)}"
    said = f"{more} and behind at {cite(found.slower)}" if faster and slower else more if faster else less
    rest = f"; at the other {cite(found.unclear)} the intervals cannot tell" if unclear else ""
    return f"Of {cite(found.sizes)} sizes, {ahead} is {said}, by more than {cite(margin)}{rest}."


def _handed(claims: AllClaims) -> Iterator[str]:
    """The ratio of small messages if both sides hand them over in another way."""
    experiment = claims.evidence.plan.experiment
    usual = {each.pair.ours.series.link: each for each in claims.ratios_of(Sort.TRANSPORT)}
    for found in claims.ratios_of(Sort.VARIANT):
        pair, before = found.pair, usual.get(found.pair.ours.series.link)
        both = all(handed_otherwise(experiment, side.series) for side in (pair.ours, pair.base))
        if both and before and pair.sizes[0] == before.pair.sizes[0]:
            size = pair.sizes[0]
            yield (
                r"\par Small messages share calls and packets; where each travels by itself, the ratio of "
                f"{escape(pair.ours.words)} to {escape(pair.base.words)} on the same link is "
                f"{cite(found.by_size[size])} at {cite(claims.constants.sizes.smallest)}, "
                f"instead of {cite(before.by_size[size])}."
            )
