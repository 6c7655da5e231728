"""The hand-ins of a class that are alike, in time that grows with the class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lab.grade.fingerprint import Fingerprint

NEAREST = 10  # of the hand-ins before: with so many is each compared whole
HOLDERS = 20  # of the hand-ins that hold a piece: so many, the last ones, stand for all
WEIGHED = 2000  # pieces of a hand-in by which the nearest are found


@dataclass(frozen=True)
class Likeness:
    """Two hand-ins and their shared parts: for a person to look at, never for points."""

    first: str
    second: str
    words: float  # Jaccard index of the runs of words
    records: int  # records with a moment of their measurement in common


def alike(made: Mapping[str, Fingerprint], least_words: float) -> list[Likeness]:
    """The pairs that share a record or many words, the most alike first. Each hand-in is compared with the nearest of
    those before it, so that a ring of copies is a chain of pairs, and a class of copies is as quick as any other."""
    found = [pair for pair in _pairs(made) if pair.records or pair.words >= least_words]
    return sorted(found, key=lambda pair: (-pair.records, -pair.words, pair.first, pair.second))


def compare(name: str, made: Fingerprint, other: str, before: Fingerprint) -> Likeness:
    """The pair of two hand-ins, in the order of their names."""
    first, second = sorted((name, other))
    shared = len(made.words & before.words)
    every = len(made.words) + len(before.words) - shared
    records = {piece.partition(" ")[0] for piece in made.records & before.records}
    return Likeness(first, second, shared / (every or 1), len(records))


def _pairs(made: Mapping[str, Fingerprint]) -> Iterator[Likeness]:
    holders: dict[str, list[str]] = defaultdict(list)
    count: Counter[str] = Counter()
    for name in sorted(made):
        pieces = [*sorted(made[name].records)[:WEIGHED], *sorted(made[name].words)[:WEIGHED]]
        for other in _nearest(pieces, holders, count):
            yield compare(name, made[name], other, made[other])
        for piece in pieces:
            holders[piece] = [*holders[piece][-HOLDERS + 1 :], name]
            count[piece] += 1


def _nearest(pieces: list[str], holders: Mapping[str, list[str]], count: Counter[str]) -> list[str]:
    """Those that share the rarest pieces: what everybody has says nothing."""
    weight: Counter[str] = Counter()
    for piece in pieces:
        for other in holders.get(piece, ()):
            weight[other] += round(1_000_000 / count[piece])
    return [other for other, _ in weight.most_common(NEAREST)]
