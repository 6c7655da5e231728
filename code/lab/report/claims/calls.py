"""Two ways to call one end, held against each other size by size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lab.analysis.estimate import Estimate
from lab.analysis.verdict import apart
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.sides import SideClaims


@dataclass(frozen=True)
class CallsClaims(ClaimGroup):
    """The number of sizes at which the intervals of both means leave a gap, and of those where the second is longer."""

    end: str
    first: str  # the varied values
    second: str
    sizes: Claim
    apart: Claim
    longer: Claim


def calls_claims(sides: Iterable[SideClaims]) -> Iterator[CallsClaims]:
    """One for each end that was called in two ways."""
    by_end: dict[str, list[SideClaims]] = {}
    for each in sides:
        by_end.setdefault(each.side.side, []).append(each)
    for found in by_end.values():
        if len(found) == 2:
            yield _of_end(*found)


def _of_end(first: SideClaims, second: SideClaims) -> CallsClaims:
    curve, end = first.side.curve, first.side.side
    pairs = [(first.by_size[size].mean.estimate, second.by_size[size].mean.estimate) for size in curve.sizes]
    parted = [pair for pair in pairs if apart(*pair, curve.margin)]
    longer = sum(after.value > before.value for before, after in parted)

    def counted(name: str, count: int, meaning: str) -> Claim:
        estimate = Estimate(count, None, pairs[0][0].n)
        words = f"{meaning}, {end} {second.side.variant} beside {first.side.variant}"
        name = f"{curve.series.name}.{end}.{name}"
        return curve.claim(name, estimate, "", ClaimKind.DERIVED, words, *curve.sizes)

    return CallsClaims(
        end,
        first.side.variant,
        second.side.variant,
        counted("sizes", len(pairs), "sizes at which both calls were timed"),
        counted("apart", len(parted), "sizes at which the intervals of the means lie apart by more than the margin"),
        counted("longer", longer, "sizes, of these, at which the second call takes longer"),
    )
