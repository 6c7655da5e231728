"""Which submissions share sentences."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.files.storage import write_text
from lab.grade.case import Case
from lab.records.record import read_document
from lab.report.text.latex import without_comments

FILE = "fingerprint.json"
WORDS_AT_ONCE = 5
MOST = 100_000
LETTERS = 16  # of each digest
# Of a record's state: what no two measurements share. A start alone, to the second, some of a large class do share.
MOMENTS = (("started", "load"), ("host_seconds",))
LEAST_LETTERS = 8  # of a moment: a rounded number says nothing
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Fingerprint:
    """Two sets of digests."""

    words: frozenset[str]
    records: frozenset[str]


def fingerprint(case: Case) -> Fingerprint:
    """The fingerprint of the readable parts."""
    try:
        text = without_comments(case.file("discussion.tex").decode(errors="replace"))
        moments = frozenset(each for key in sorted(case.records) for each in _moments(case, key))
    except (LabError, RecursionError):
        return Fingerprint(frozenset(), frozenset())
    words = [word.lower() for word in _WORD.findall(text)]
    runs = (" ".join(words[start : start + WORDS_AT_ONCE]) for start in range(len(words) - WORDS_AT_ONCE + 1))
    return Fingerprint(_digests(run.encode() for run in runs), moments)


def write_fingerprint(made: Fingerprint, folder: Path) -> None:
    """Write the fingerprint beside the grade."""
    values = {"words": sorted(made.words)[:MOST], "records": sorted(made.records)[:MOST]}
    write_text(folder / FILE, json.dumps(values) + "\n")


def read_fingerprint(folder: Path) -> Fingerprint:
    """The fingerprint that write_fingerprint wrote; an empty one if the file is missing or damaged."""
    try:
        values = json.loads((folder / FILE).read_text())
        return Fingerprint(frozenset(values["words"]), frozenset(values["records"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Fingerprint(frozenset(), frozenset())


def _moments(case: Case, key: str) -> Iterator[str]:
    """Each moment by itself: to hide a copy, all must be invented."""
    state = read_document(case.folder / "results", key).get("state")
    for names in MOMENTS:
        moment = " ".join(str(state.get(name, "")) for name in names) if isinstance(state, dict) else ""
        if len(moment) >= LEAST_LETTERS:
            yield f"{key[:LETTERS]} {hashlib.sha256(moment.encode(errors='replace')).hexdigest()[:LETTERS]}"


def _digests(contents: Iterable[bytes]) -> frozenset[str]:
    return frozenset(hashlib.sha256(content).hexdigest()[:LETTERS] for content in contents)


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
