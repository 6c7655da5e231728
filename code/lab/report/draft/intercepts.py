"""The draft's sentences about intercepts of lines and the smallest messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.report.claims.intercepts import InterceptClaims
from lab.report.claims.latency import LatencyClaims
from lab.report.claims.ledger import AllClaims
from lab.report.draft.lines import rate_words
from lab.report.prose.uses import cite
from lab.report.tex.escape import escape

NEITHER = "No interval of an intercept reaches what the small message took, so none stands for the time of one."
SOME = "Whether the intercept of a line says how long a small message takes depends on the sizes it goes through."
ALL = "All these intervals hold what the small message took, which speaks for a single cost of a message at every size."


def intercept_sentences(claims: AllClaims) -> Iterator[str]:
    """The lines of each series, and their intercepts against the smallest message."""
    by_series: dict[str, list[InterceptClaims]] = {}
    for each in claims.intercepts:
        by_series.setdefault(each.intercept.times.curve.name, []).append(each)
    for series, found in by_series.items():
        yield from _sentences(claims.latencies[series], found, claims.latencies[found[0].intercept.small.name])


def _sentences(large: LatencyClaims, found: list[InterceptClaims], small: LatencyClaims) -> Iterator[str]:
    assert large.fits
    yield rf"\par A straight line was laid through the times of {escape(large.curve.words)}."
    yield from rate_words(large.fits.whole)
    yield "Another uses the larger half of the sizes alone."
    yield from rate_words(large.fits.upper)
    *all_but_last, last = map(_intercept, found)
    yield (
        "Half of the round trip of the smallest message on the same link took "
        f"{cite(small.by_size[found[0].intercept.smallest].half_trip)}; "
        f"the intercepts of the lines are {', '.join(all_but_last)} and {last}, in their order."
    )
    yield agreement(found)


def agreement(found: Sequence[InterceptClaims]) -> str:
    """Whether an intercept could stand for the time of a small message."""
    agree = sum(each.intercept.agrees() for each in found)
    return NEITHER if not agree else ALL if agree == len(found) else SOME


def _intercept(found: InterceptClaims) -> str:
    """A multiple of a negative intercept has no meaning."""
    return f"{cite(found.over_small)} times as long" if found.over_small.estimate.value > 0 else "below zero"
