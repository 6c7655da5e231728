"""The draft's sentences about rounds repeated until they agree."""

from __future__ import annotations

from collections.abc import Iterator

from lab.report.claims.ledger import AllClaims
from lab.report.claims.rounds import RoundsClaims
from lab.report.prose.uses import cite
from lab.report.tex.escape import escape


def rounds_sentences(claims: AllClaims) -> Iterator[str]:
    """The number of settled sizes of each curve, and the largest effect of the correction."""
    for found in (each for each in claims.rounds if not each.curve.point):
        yield (
            rf"\par The rounds of {escape(found.curve.words)} agreed in every repetition at {cite(found.agreed)} of "
            f"{cite(claims.constants.sizes.count)} sizes; at {cite(found.unsettled)} some repetition reached the cap "
            "first, which is a result and no gap in the data."
        )
        yield _correction(found)


def _correction(found: RoundsClaims) -> str:
    largest = found.by_size[int(found.share_size.estimate.value)]
    return (
        f"The correction takes off at most {cite(largest.share)} of a round's time, at "
        f"{cite(found.share_size)}, and {cite(found.refused)} sizes are not corrected."
    )
