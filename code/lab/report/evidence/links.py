"""The links of an experiment: one figure or table shows series of one link only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.model.trial import Link
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.pairs import variants
from lab.spec.experiment import Series


@dataclass(frozen=True)
class LinkGroup:
    """The curves over sizes that share a link; the experiment's main link needs no name."""

    link: Link
    series: tuple[Series, ...]
    suffix: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.series)


def link_groups(evidence: Evidence) -> tuple[LinkGroup, ...]:
    """One group for each link, the main one first: that of a modelled card, where there is one, else that of the first
    series. The others are named after their first series. A series with another way to hand messages over, at a few
    sizes, appears in ratios only."""
    return evidence.once(_link_groups)


def _link_groups(evidence: Evidence) -> tuple[LinkGroup, ...]:
    beside = set(variants(evidence))
    return by_link(each for each in evidence.all_series("throughput") if each.name not in beside)


def by_link(curves: Iterable[Series]) -> tuple[LinkGroup, ...]:
    """The same of any series."""
    by_link: dict[Link, list[Series]] = {}
    for series in curves:
        by_link.setdefault(series.link, []).append(series)
    ordered = sorted(by_link.items(), key=lambda item: not item[0].card)
    return tuple(
        LinkGroup(link, tuple(of), f".{of[0].name}" if place else "") for place, (link, of) in enumerate(ordered)
    )
