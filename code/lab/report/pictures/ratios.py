"""Ratios against the message size: over another transport, and over the peers."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import Curve, Ratios, peer_ratio, speed_up
from lab.model.sizes import format_size
from lab.report.claim import Ledger
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.handing import handing_words
from lab.report.evidence.margin import margin_of, verdict_words
from lab.report.evidence.pairs import Pair, Sort, pairs
from lab.report.pictures.picture import Picture
from lab.sites.traits import Traits

# What a figure of many pairs shows, and what its axis calls the base.
TOGETHER = {
    Sort.PEER: ("Ours over the programs that everybody uses", "the peer"),
    Sort.OWN: ("Ours over the experiment's own programs", "the own program"),
    Sort.VARIANT: ("Messages handed over in other ways", "the base"),
    Sort.STEP: ("Each of the experiment's own programs over the one before it", "the one before"),
}


def ratios(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """A figure for each pair of transports, and one for each other sort of pairs on their main link."""
    site, found = evidence.plan.site, list(pairs(evidence))
    for pair in (each for each in found if each.sort is Sort.TRANSPORT):
        curve = _curve(pair, ledger, pair.ours.words)
        caption = f"{pair.ours.words} over {pair.base.words} on the same link, ratio of median throughputs."
        data = Ratios(pair.picture, (curve,), pair.base.words, pair.ours.link, site.name, margin_of(site.traits))
        yield Picture(pair.picture, f"{caption} {_about([pair], data, site.traits)}", data, speed_up)
    for sort, (over, base) in TOGETHER.items():
        if some := [each for each in found if each.sort is sort]:
            link = some[0].ours.link
            some = [each for each in some if each.ours.link == link]
            curves = tuple(_curve(each, ledger, f"{each.ours.words} / {each.base.words}") for each in some)
            data = Ratios(sort.value, curves, base, link, site.name, margin_of(site.traits))
            caption = f"{over}, ratio of median throughputs on the same link. {_about(some, data, site.traits)}"
            yield Picture(sort.value, caption, data, peer_ratio)


def _about(found: list[Pair], data: Ratios, traits: Traits) -> str:
    """What a verdict is here, and how the messages of either side travel."""
    judged = verdict_words((estimate for curve in data.curves for estimate in curve.y), traits)
    handed = handing_words(side for pair in found for side in (pair.ours, pair.base))
    return " ".join(filter(None, (handed, judged)))


def _curve(pair: Pair, ledger: Ledger, words: str) -> Curve:
    claims = [ledger[f"{pair.name}.{format_size(size)}"] for size in pair.sizes]
    keys = tuple(dict.fromkeys(key for claim in claims for key in claim.keys))
    return Curve(words, tuple(map(float, pair.sizes)), tuple(claim.estimate for claim in claims), keys)
