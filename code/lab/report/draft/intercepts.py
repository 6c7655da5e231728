"""The draft's sentences about intercepts of lines and the smallest messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.report.claims.intercepts import InterceptClaims
from lab.report.claims.latency import LatencyClaims
from lab.report.claims.ledger import AllClaims
from lab.report.claims.lines import FitClaims
from lab.report.draft.lines import rate_words
from lab.report.prose.listing import listed
from lab.report.prose.uses import cite
from lab.report.tex.escape import escape

_UPPER = "the line through larger messages"
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
    whole, upper = large.fits.whole, large.fits.upper
    words = escape(large.curve.words)
    sentences = [*rate_words(whole, f"the times of {words}")]
    if not _says_the_same(whole, upper):
        sentences += rate_words(upper, f"the times of {words} with larger messages alone")
    yield rf"\par {sentences[0]}"
    yield from sentences[1:]
    named = dict(zip(_names(whole, upper), map(_intercept, found), strict=True))
    if _says_the_same(whole, upper):
        del named[_UPPER]
    yield (
        "Half of the round trip of the smallest message on the same link took "
        f"{cite(small.by_size[found[0].intercept.smallest].half_trip)}; "
        f"the intercept is {listed(f'{times} for {name}' for name, times in named.items())}."
    )
    yield agreement(found)


def _says_the_same(whole: FitClaims, upper: FitClaims) -> bool:
    """Whether the larger half of the sizes is what the second line goes through."""
    return bool(whole.broken and not upper.broken and whole.broken.above.low.estimate == upper.line.low.estimate)


def _names(whole: FitClaims, upper: FitClaims) -> Iterator[str]:
    """Of the lines, in the order of their intercepts."""
    yield "one line through all sizes"
    if whole.broken:
        yield from ("the first line", "the second line")
    yield _UPPER
    if upper.broken:
        yield from ("the first line through those", "the second line through those")


def agreement(found: Sequence[InterceptClaims]) -> str:
    """Whether an intercept could stand for the time of a small message."""
    agree = sum(each.intercept.agrees() for each in found)
    return NEITHER if not agree else ALL if agree == len(found) else SOME


def _intercept(found: InterceptClaims) -> str:
    """A multiple of a negative intercept has no meaning."""
    return f"{cite(found.over_small)} times as long" if found.over_small.estimate.value > 0 else "below zero"
