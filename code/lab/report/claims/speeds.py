"""How many times as fast one program's messages are there as another's, on the same link: ratios of round trips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.analysis.ratios import ratio_of_medians
from lab.model.sizes import format_size
from lab.report.claim import Claim, ClaimGroup
from lab.report.claims.latency import round_trips
from lab.report.claims.ratios import ratio
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.links import by_link
from lab.report.evidence.pairs import TRANSPORTS
from lab.report.tex.units import in_words
from lab.spec.experiment import Series

# Ours over what everybody uses, where both do the same.
PEERS = (("verbs", "ib_write_lat"), ("verbs", "ib_send_lat"), ("verbs", "ib_read_lat"), ("tcp", "qperf"))


@dataclass(frozen=True)
class SpeedClaims(ClaimGroup):
    """Over 1 where ours takes less time."""

    ours: Subject
    base: Subject
    by_size: dict[int, Claim]

    @property
    def is_peer(self) -> bool:
        return (self.ours.series.program, self.base.series.program) in PEERS


def speed_claims(evidence: Evidence) -> tuple[SpeedClaims, ...]:
    """Each transport of ours over another and over its peers, the links of a modelled card first."""
    pairs = ((ours, base) for group in by_link(evidence.all_series("latency")) for ours, base in _pairs(group.series))
    found = (_speeds(*(round_trips(evidence, each) for each in pair)) for pair in pairs)
    return tuple(each for each in found if each.by_size)


def _pairs(series: tuple[Series, ...]) -> Iterator[tuple[Series, Series]]:
    for ours in series:
        for base in series:
            programs = ours.program, base.program
            alike = (ours.operation, ours.has_card) == (base.operation, base.has_card)
            if programs in TRANSPORTS or (programs in PEERS and (alike or not ours.tool.rdma)):
                yield ours, base


def _speeds(ours: Subject, base: Subject) -> SpeedClaims:
    sizes = [size for size in ours.sizes if size in base.sizes]
    return SpeedClaims(ours, base, {size: _speed(ours, base, size) for size in sizes})


def _speed(ours: Subject, base: Subject, size: int) -> Claim:
    name = f"{ours.series.name}_over_{base.series.name}.{format_size(size)}"
    words = f"how many times as fast {ours.words} is as {base.words}, by round trips of {in_words(size)}"
    estimate = ratio_of_medians(base.values(size), ours.values(size))
    return replace(ratio(ours, base, size, name), estimate=estimate, meaning=words)
