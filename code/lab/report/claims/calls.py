"""Two ways to call one end, held against each other over all sizes and size by size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import fmean

from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_difference
from lab.analysis.verdict import apart
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.lines import scaled
from lab.report.claims.sides import SideClaims
from lab.report.evidence.labels import label
from lab.report.tex.units import NANO


@dataclass(frozen=True)
class CallsClaims(ClaimGroup):
    """What the calls differ by; at how many sizes the intervals of both means leave a gap, and the second is longer.

    The difference is of the mean over all sizes, and without a sign: `is_longer` says which call takes longer.
    """

    words: str  # of the series
    end: str
    first: str  # the varied values
    second: str
    is_longer: bool  # the second
    difference: Claim
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
    parted = [pair for pair in pairs if apart(*pair)]
    longer = sum(after.value > before.value for before, after in parted)

    def counted(name: str, count: int, meaning: str) -> Claim:
        estimate = Estimate(count, None, pairs[0][0].n)
        words = f"{meaning}, {end} {second.side.variant} beside {first.side.variant}"
        name = f"{curve.series.name}.{end}.{name}"
        return curve.claim(name, estimate, "", ClaimKind.DERIVED, words, *curve.sizes)

    before, after = _overall(first), _overall(second)
    is_longer = fmean(after) >= fmean(before)
    between = estimate_difference(after, before) if is_longer else estimate_difference(before, after)
    more = "longer" if is_longer else "less time"
    difference = curve.claim(
        f"{curve.series.name}.{end}.difference",
        scaled(between, NANO),
        "s",
        ClaimKind.RATE,
        f"how much {more} the {end}, {second.side.variant}, takes than {first.side.variant}, mean over all sizes",
        *curve.sizes,
    )
    return CallsClaims(
        label(curve.series),
        end,
        first.side.variant,
        second.side.variant,
        is_longer,
        difference,
        counted("sizes", len(pairs), "sizes at which both calls were timed"),
        counted("apart", len(parted), "sizes at which the intervals of the means lie apart"),
        counted("longer", longer, "sizes, of these, at which the second call takes longer"),
    )


def _overall(found: SideClaims) -> list[float]:
    """The mean over all sizes of each repetition, in ns."""
    return [fmean(row) for row in found.side.curve.rows()]
