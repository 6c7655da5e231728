"""The parts of a hand-in to compare with others: runs of words of the discussion, and the moments of its records."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
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
