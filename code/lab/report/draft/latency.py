"""The draft's sentences about round trips: what a message takes, how often it takes longer, and what the peers say."""

from __future__ import annotations

from collections.abc import Iterator

from lab.report.claims.latency import LatencyClaims
from lab.report.claims.ledger import AllClaims
from lab.report.claims.speeds import SpeedClaims
from lab.report.evidence.labels import is_ours
from lab.report.evidence.links import by_link
from lab.report.prose.listing import listed
from lab.report.prose.uses import cite
from lab.report.tex.escape import escape
from lab.report.tex.units import in_words

TAIL = 0.99
ONE_WAY = (
    "Half of a round trip is the time of one message only if both ways take alike, and with one clock nobody can say "
    "more."
)


def latency_sentences(claims: AllClaims) -> Iterator[str]:
    """Link by link; nothing where lines speak of the same times."""
    if claims.intercepts:
        return
    for place, found in enumerate(by_transport(claims)):
        yield rf"\par {halves(found)}"
        yield from tails(found if place == 0 else [])
        yield from growth(found)
    yield from map(speed, (each for each in claims.speeds if not each.is_peer))
    yield from _peers(claims)


def by_transport(claims: AllClaims) -> list[list[LatencyClaims]]:
    """Those of our programs, a list for each link and the same ends of the sizes."""
    ours: dict[tuple[str, int, int], list[LatencyClaims]] = {}
    for group in by_link(claims.evidence.all_series("latency")):
        for found in (claims.latencies[each.name] for each in group.series if is_ours(each)):
            ours.setdefault((group.suffix, min(found.by_size), max(found.by_size)), []).append(found)
    return list(ours.values())


def halves(found: list[LatencyClaims]) -> str:
    """The smallest message of each."""
    size = min(found[0].by_size)
    times = [f"{cite(each.by_size[size].half_trip)} with {escape(each.curve.words)}" for each in found]
    return f"Half of the round trip of a message of {_size(size)} takes {listed(times)}."


def tails(found: list[LatencyClaims]) -> Iterator[str]:
    """How much longer one in a hundred takes, where every repetition has enough trips to say so."""
    for each in found:
        for kept in [kept for kept in each.quantiles if TAIL in kept.halves][:1]:
            size = kept.trips.size
            yield (
                f"With messages of {_size(size)} the p99 of half of the round trip of {escape(each.curve.words)} is "
                f"{cite(kept.halves[TAIL])}, its median {cite(each.by_size[size].half_trip)}."
            )


def growth(found: list[LatencyClaims]) -> Iterator[str]:
    """What the largest message takes."""
    size = max(found[0].by_size)
    times = [f"{cite(each.by_size[size].half_trip)} with {escape(each.curve.words)}" for each in found]
    yield f"With messages of {_size(size)} it is {listed(times)}."


def speed(found: SpeedClaims) -> str:
    """The smallest message and the largest."""
    small, large = min(found.by_size), max(found.by_size)
    ours, base = escape(found.ours.words), escape(found.base.words)
    return (
        f"By their round trips {ours} is {cite(found.by_size[small])} times as fast as {base} on the same link with "
        f"messages of {_size(small)}, and {cite(found.by_size[large])} times with messages of {_size(large)}."
    )


def _peers(claims: AllClaims) -> Iterator[str]:
    for found in (each for each in claims.speeds if each.is_peer):
        size = min(found.by_size)
        yield (
            f"Beside {escape(found.base.words)} the speed of {escape(found.ours.words)} with messages of {_size(size)} "
            f"is {cite(found.by_size[size])} times as high on the same link."
        )


def _size(size: int) -> str:
    return escape(in_words(size))
