"""Ratios against the message size: over another transport, and over the peers."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import Curve, Ratios, peer_ratio, speed_up
from lab.report.claim import Ledger
from lab.report.evidence import Evidence
from lab.report.pairs import Pair, pairs
from lab.report.pictures.picture import Picture
from lab.sizes import format_size


def ratios(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """A figure for each pair of transports, and one of all of ours over their peers on the main link."""
    site, found = evidence.plan.site.name, list(pairs(evidence))
    for pair in (each for each in found if not each.is_peer):
        curve = _curve(pair, ledger, pair.ours.words)
        caption = f"{pair.ours.words} over {pair.base.words} on the same link, ratio of median throughputs."
        data = Ratios(pair.picture, (curve,), pair.base.words, pair.ours.link, site)
        yield Picture(pair.picture, caption, data, speed_up)
    if peers := [each for each in found if each.is_peer]:
        link = peers[0].ours.link
        peers = [each for each in peers if each.ours.link == link]
        curves = tuple(_curve(each, ledger, f"{each.ours.words} / {each.base.words}") for each in peers)
        caption = "Ours over the programs that everybody uses, ratio of median throughputs on the same link."
        yield Picture("peers", caption, Ratios("peers", curves, "the peer", link, site), peer_ratio)


def _curve(pair: Pair, ledger: Ledger, words: str) -> Curve:
    claims = [ledger[f"{pair.name}.{format_size(size)}"] for size in pair.sizes]
    keys = tuple(dict.fromkeys(key for claim in claims for key in claim.keys))
    return Curve(words, tuple(map(float, pair.sizes)), tuple(claim.estimate for claim in claims), keys)
