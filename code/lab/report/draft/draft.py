"""A first draft of the discussion: plain sentences about the data, with a claim for every number."""

from __future__ import annotations

from collections.abc import Iterator

from lab.report.claims.ledger import AllClaims
from lab.report.draft.intercepts import intercept_sentences
from lab.report.draft.latency import latency_sentences
from lab.report.draft.ratios import ratio_sentences
from lab.report.draft.rounds import rounds_sentences
from lab.report.draft.shape import shape_sentences
from lab.report.draft.sides import side_sentences
from lab.report.draft.sweeps import sweep_sentences

TOPICS = (
    shape_sentences,
    rounds_sentences,
    ratio_sentences,
    intercept_sentences,
    latency_sentences,
    side_sentences,
    sweep_sentences,
)


def draft(claims: AllClaims) -> str:
    """One sentence a line; which sentences there are follows from the intervals."""
    return "\n".join(_sentences(claims)) + "\n"


def _sentences(claims: AllClaims) -> Iterator[str]:
    if claims.curves:
        repeated = any(not each.curve.point for each in claims.rounds)
        figure = "corrected" if repeated else "throughput"
        yield rf"\figureof{{{figure}}} shows how the throughput grows with the size of the message."
    for topic in TOPICS:
        yield from topic(claims)
