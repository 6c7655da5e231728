"""The throughput curves that a clause may mean, each with the claims about it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from lab.model.sizes import format_size
from lab.report.check.meant import meant
from lab.report.check.sentence import Clause, size_of
from lab.report.check.subjects import (
    CARD,
    FREE,
    RDMA,
    TCP,
    WIRE,
    begins_with_inline,
    group_of,
    link_named,
    link_of,
)
from lab.report.claim import Claim, Ledger
from lab.report.setting import Strand


@dataclass(frozen=True)
class CurveClaims:
    """The claims about one series' throughput by size."""

    strand: Strand
    ledger: Ledger

    @property
    def rates(self) -> dict[int, Claim]:
        found = (self.ledger.get(name) for name in self._names())
        return {size: each for each in found if each and (size := size_of(each)) is not None}

    def _names(self) -> list[str]:
        return [f"{self.strand.name}.{format_size(size)}" for size in self.strand.sizes]

    def claim(self, name: str) -> Claim | None:
        return self.ledger.get(f"{self.strand.name}.{name}")


def curves_of(part: Clause) -> list[CurveClaims]:
    """The series that it means without doubt; else the first of each of its programs, on its link."""
    ledger = part.sentence.ledger
    own = [each for each in meant(part) if f"{each.name}.peak" in ledger]
    if own:
        return [CurveClaims(each, ledger) for each in own]
    groups = (
        {each.group for each in part.mentions}
        or set(part.sentence.groups)
        or set(part.sentence.before)
        or {RDMA, TCP, *((CARD,) if ledger.setting.card else ())}
    )
    return list(first_of(groups, part).values())


def first_of(groups: Collection[str], part: Clause) -> dict[str, CurveClaims]:
    """The first series of each of these programs, on the link that the words name."""
    ledger, link = part.sentence.ledger, link_named(part.words) or link_named(part.sentence.words) or FREE
    links = {"", link, *((WIRE,) if link == FREE and CARD in groups else ())}
    first: dict[str, CurveClaims] = {}
    for strand in ledger.setting.strands:
        curve, group = CurveClaims(strand, ledger), group_of(strand)
        peak = curve.claim("peak")
        if peak and group in groups and not strand.varied and link_of(peak, ledger.setting) in links:
            if not strand.name.endswith(".inline"):
                first.setdefault(group, curve)
            elif begins_with_inline(part.words):
                first[group] = curve
    return first
