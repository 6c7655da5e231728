"""Ratios against the message size: over another transport, and over the peers."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import Curve, Ratios
from lab.figures.drawers import peer_ratio, speed_up
from lab.model.trial import Link
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.handing import handing_words
from lab.report.evidence.margin import margin_of, verdict_words
from lab.report.evidence.pairs import Sort
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import Sketch
from lab.report.topics.ratios import PairRatios, pair_ratios
from lab.sites.traits import Traits

# The subject of a figure of many pairs, and the name of the base on its axis.
TOGETHER = {
    Sort.PEER: ("Ours over the programs that everybody uses", "the peer"),
    Sort.OWN: ("Ours over the experiment's own programs", "the own program"),
    Sort.VARIANT: ("Messages handed over in other ways", "the base"),
    Sort.STEP: ("Each of the experiment's own programs over the one before it", "the one before"),
}


def ratios(evidence: Evidence) -> Iterator[Sketch[Ratios]]:
    """A figure for each transport that others are held against, and one for each link with pairs of another sort."""
    site = evidence.plan.site
    for name, shown in _by_base(evidence):
        base, link = shown[0].pair.base.words, shown[0].pair.ours.link
        ours = " and ".join(each.pair.ours.words for each in shown)
        caption = f"{ours} over {base} on the same link, ratio of median throughputs."
        curves = tuple(_curve(each, each.pair.ours.words) for each in shown)
        data = Ratios(name, curves, base, link, site.name, margin_of(site.traits))
        yield Sketch(name, f"{caption} {_about(shown, data, site.traits)}", data, speed_up)
    for sort, (over, base) in TOGETHER.items():
        for name, shown in _by_link(evidence, sort):
            curves = tuple(_curve(each, f"{each.pair.ours.words} / {each.pair.base.words}") for each in shown)
            data = Ratios(name, curves, base, shown[0].pair.ours.link, site.name, margin_of(site.traits))
            caption = f"{over}, ratio of median throughputs on the same link. {_about(shown, data, site.traits)}"
            yield Sketch(name, caption, data, peer_ratio)


def _by_base(evidence: Evidence) -> Iterator[tuple[str, list[PairRatios]]]:
    """The pairs of transports that one figure shows, and its name."""
    by_picture: dict[str, list[PairRatios]] = {}
    for each in pair_ratios(evidence, Sort.TRANSPORT):
        by_picture.setdefault(each.pair.picture, []).append(each)
    yield from by_picture.items()


def _by_link(evidence: Evidence, sort: Sort) -> Iterator[tuple[str, list[PairRatios]]]:
    """The pairs that one figure shows, and its name; that of the first link needs nothing but the sort."""
    by_link: dict[Link, list[PairRatios]] = {}
    for each in pair_ratios(evidence, sort):
        by_link.setdefault(each.pair.ours.series.link, []).append(each)
    for place, found in enumerate(by_link.values()):
        yield f"{sort.value}.{found[0].pair.ours.series.name}" if place else sort.value, found


def _about(found: list[PairRatios], data: Ratios, traits: Traits) -> str:
    """The sentences about verdicts, and about the way that either side hands messages over."""
    judged = verdict_words((estimate for curve in data.curves for estimate in curve.y), traits)
    handed = handing_words(side for each in found for side in (each.pair.ours, each.pair.base))
    return " ".join(filter(None, (handed, judged)))


def _curve(found: PairRatios, words: str) -> Curve:
    answers = found.by_size.values()
    keys = tuple(dict.fromkeys(key for answer in answers for key in answer.keys))
    estimates, look = tuple(answer.estimate for answer in answers), colour(found.pair.ours.series)
    return Curve(words, tuple(map(float, found.by_size)), estimates, keys, colour=look)
