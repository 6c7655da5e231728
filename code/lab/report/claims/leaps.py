"""Leaps: between two sizes a few bytes apart the time of a call grows at once, where a knee would bend it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from lab.analysis.estimate import Estimate
from lab.analysis.ratios import ratios_of_medians
from lab.analysis.verdict import Verdict, judge
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.evidence.curve import Subject
from lab.report.tex.units import in_words

NEAR = 1.01  # two sizes that differ by less: what a byte costs cannot show between them
LEAST = 0.05  # of a call's time, beyond which its growth is no noise


@dataclass(frozen=True)
class LeapClaims(ClaimGroup):
    """The factor of the time, and the two sizes between which it lies."""

    factor: Claim
    start: Claim
    end: Claim

    @property
    def below(self) -> int:
        """The last size before it."""
        return int(self.start.estimate.value)

    @property
    def above(self) -> int:
        """The first size after it."""
        return int(self.end.estimate.value)


def leap_claims(curve: Subject, name: str, words: str) -> LeapClaims | None:
    """The largest leap of a curve of times; its interval allows for the choice."""
    places = list(_neighbours(curve.sizes))
    if not places:
        return None
    ratios = ratios_of_medians([(curve.values(large), curve.values(small)) for small, large in places])
    found = dict(zip(places, ratios, strict=True))
    small, large = max(found, key=lambda pair: found[pair].value)
    factor = found[small, large]
    if judge(factor, margin=LEAST) is not Verdict.MORE:
        return None
    return _claims(curve, f"{name}.leap", words, (small, large), factor)


def _neighbours(sizes: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    ordered = sorted(sizes)
    return ((small, large) for small, large in pairwise(ordered) if large <= NEAR * small)


def _claims(curve: Subject, name: str, words: str, ends: tuple[int, int], factor: Estimate) -> LeapClaims:
    small, large = map(in_words, ends)
    meaning = f"time of the {words}, messages of {large} over those of {small}, the largest leap"
    claim = curve.claim(name, factor, "", ClaimKind.RATIO, meaning, *ends)

    def end(which: str, size: int) -> Claim:
        where, about = Estimate(size, None, factor.n), f"size that the leap of the {words} goes {which}"
        return curve.claim(f"{name}.{which}", where, "size", ClaimKind.DERIVED, about, *ends)

    return LeapClaims(
        replace(claim, base=f"{words} at {small}", base_link=claim.link), end("from", ends[0]), end("to", ends[1])
    )
