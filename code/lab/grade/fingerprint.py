"""The parts of a hand-in to compare with others: runs of words of the discussion, and records with their moment."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.files.storage import write_text
from lab.grade.case import Case
from lab.records.record import RECORD, record_folder
from lab.report.prose.uses import COMMENT

FILE = "fingerprint.json"
WORDS_AT_ONCE = 5
MOST = 100_000
LETTERS = 16  # of each digest
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Fingerprint:
    """Two sets of digests."""

    words: frozenset[str]
    records: frozenset[str]


@dataclass(frozen=True)
class Likeness:
    """Two hand-ins and their shared parts: for a person to look at, never for points."""

    first: str
    second: str
    words: float  # Jaccard index of the runs of words
    records: int  # records with the same moment of measurement


def fingerprint(case: Case) -> Fingerprint:
    """The fingerprint of the readable parts."""
    try:
        text = COMMENT.sub("", case.file("discussion.tex").decode(errors="replace"))
        contents = [record_folder(case.folder / "results", key) / RECORD for key in sorted(case.records)]
    except LabError:
        return Fingerprint(frozenset(), frozenset())
    words = [word.lower() for word in _WORD.findall(text)]
    runs = (" ".join(words[start : start + WORDS_AT_ONCE]) for start in range(len(words) - WORDS_AT_ONCE + 1))
    return Fingerprint(_digests(run.encode() for run in runs), _digests(file.read_bytes() for file in contents))


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


class Likenesses:
    """The pairs of a class that share a record or many words. Each new hand-in is compared once with all before it:
    n(n-1)/2 comparisons in all."""

    def __init__(self, least_words: float) -> None:
        self._least_words = least_words
        self._made: dict[str, Fingerprint] = {}
        self._found: list[Likeness] = []

    def add(self, name: str, made: Fingerprint) -> None:
        """One more hand-in."""
        pairs = (compare(name, made, other, before) for other, before in self._made.items())
        self._found += [pair for pair in pairs if pair.records or pair.words >= self._least_words]
        self._made[name] = made

    def most_alike_first(self) -> list[Likeness]:
        return sorted(self._found, key=lambda pair: (-pair.records, -pair.words, pair.first, pair.second))


def compare(name: str, made: Fingerprint, other: str, before: Fingerprint) -> Likeness:
    """The pair of two hand-ins, in the order of their names."""
    first, second = sorted((name, other))
    shared = len(made.words & before.words)
    every = len(made.words) + len(before.words) - shared
    return Likeness(first, second, shared / (every or 1), len(made.records & before.records))


def _digests(contents: Iterable[bytes]) -> frozenset[str]:
    return frozenset(hashlib.sha256(content).hexdigest()[:LETTERS] for content in contents)
