"""Two series that measured one thing: the same program, link and size, and as many bytes a round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from lab.model.sizes import format_size
from lab.report.claim import Claim, ClaimGroup
from lab.report.claims.ratios import ratio
from lab.report.claims.rounds import RoundClaims, Rounds, RoundsClaims
from lab.report.tex.units import in_words


@dataclass(frozen=True)
class TwinClaims(ClaimGroup):
    """The throughput of the one over that of the other, which nothing but luck could part."""

    ours: Rounds
    base: Rounds
    ratio: Claim


def twin_claims(found: Iterable[RoundsClaims]) -> tuple[TwinClaims, ...]:
    """Every pair of series that have a size in common."""
    sizes = [size for each in found for size in each.by_size.values()]
    return tuple(_twins(sizes))


def _twins(sizes: list[RoundClaims]) -> Iterator[TwinClaims]:
    for base, ours in combinations((each.rounds for each in sizes), 2):
        if ours.curve.series.name != base.curve.series.name and _asked(ours) == _asked(base):
            yield TwinClaims(ours, base, _ratio(ours, base))


def _asked(each: Rounds) -> tuple[object, ...]:
    series = each.curve.series
    return series.program, series.operation, series.link, series.soft_roce, each.size, each.bytes


def _ratio(ours: Rounds, base: Rounds) -> Claim:
    name = f"{ours.curve.name}.{format_size(ours.size)}.over_{base.curve.series.name}"
    claim = ratio(ours.curve, base.curve, ours.size, name)
    words = f"{ours.curve.series.name} over {base.curve.series.name}, which measured the same"
    return replace(claim, meaning=f"{words}, messages of {in_words(ours.size)}")
