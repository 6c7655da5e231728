"""Throughput and message rate against the message size, with the limits of the link and its headers."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.ceiling import Limit, rate_limit
from lab.figures import BySize
from lab.figures.drawers import message_rate, throughput
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.links import LinkGroup, link_groups
from lab.report.pictures.sketch import MB_S, Sketch, message_curve, rate_curve
from lab.report.topics.curves import ceiling
from lab.sites.traits import Traits


def by_size(evidence: Evidence) -> Iterator[Sketch[BySize]]:
    """Two figures for each link."""
    site, traits = evidence.plan.site.name, evidence.plan.site.traits
    for group in link_groups(evidence):
        curves = [subject(evidence, series) for series in group.series]
        rates, name = tuple(map(rate_curve, curves)), f"throughput{group.suffix}"
        caption = f"Throughput against message size, {curves[0].link}{_ceilings(group, site, traits)}."
        yield Sketch(name, caption, BySize(name, rates, site, limits(group, site), MB_S), throughput)
        messages, name = tuple(map(message_curve, curves)), f"message_rate{group.suffix}"
        yield Sketch(name, "Messages per second against message size.", BySize(name, messages, site), message_rate)


def limits(group: LinkGroup, site: str) -> tuple[Limit, ...]:
    """The link's rate, and the part of it that headers leave to the protocols that ran."""
    rate, sizes = group.link.rate_bit_s, tuple(sorted({size for each in group.series for size in each.sizes(site)}))
    if rate is None:
        return ()
    found = [limit for each in group.series if (limit := ceiling(each, sizes))]
    return (rate_limit(sizes, rate), *{limit.label: limit for limit in found}.values())


def no_limit(group: LinkGroup, traits: Traits) -> str:
    """The reason why a figure of throughput has no ceiling; of a real link only its owner knows the rate."""
    known = group.link.rate_bit_s or not traits.takes_models
    return "" if known else "; this link has no rate that would be a ceiling"


def _ceilings(group: LinkGroup, site: str, traits: Traits) -> str:
    if limits(group, site):
        return "; black lines: the link's rate, and what the headers of each protocol leave of it"
    return no_limit(group, traits)
