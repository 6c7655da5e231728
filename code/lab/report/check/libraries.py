"""MPI beside the bare operations below it: what it is said to add to their time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median

from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import group_of
from lab.report.check.times import round_trips
from lab.report.setting import Strand

_NOTHING = re.compile(
    r"\bMPI\b[^.;,]*\b(?:adds?|costs?|takes?)\b[^.;,]*?\b(?:nothing|no (?:time|latency|overhead)|no extra)\b|"
    r"\bMPI (?:comes?|is) for free\b",
    re.I,
)
_QUICKER = re.compile(
    r"\bMPI\b[^.;]*\b(?:quicker|faster|sooner|less time|ahead|shorter)\b[^.;]*"
    r"\b(?:than|of) (?:(?!MPI)\w+ ){0,2}(?:SEND|WRITE|verbs)\b"
)
_DENIED = re.compile(r"\b(?:not|never)\b|n't\b", re.I)
LITTLE = 1.1  # times the bare operation's time: that may be called nothing


def libraries_cost(sentence: Sentence) -> Iterator[Objection]:
    """`MPI adds nothing` is false where its messages take longer than the bare ones of the same link."""
    for part in sentence.parts:
        found = _NOTHING.search(part.words) or _QUICKER.search(part.words)
        if found is None or _DENIED.search(part.words) or not part.is_stated or part.uses:
            continue
        for own, bare in _pairs(sentence, {each.group for each in part.mentions or sentence.mentions}):
            ours, theirs = (round_trips(each, sentence.ledger) for each in (own, bare))
            times = {size: (ours[size], theirs[size]) for size in ours if size in theirs}
            meant = [times[each] for each in sizes_meant(part, times) or times]
            if meant and median(first.estimate.value / second.estimate.value for first, second in meant) > LITTLE:
                yield Objection(against(*meant[0]), part.start + found.start())
                break


def _pairs(sentence: Sentence, groups: set[str]) -> Iterator[tuple[Strand, Strand]]:
    """MPI and the operation that sends, over the same transport and link."""
    strands = [each for each in sentence.ledger.setting.strands if not groups or group_of(each) in groups]
    for own in strands:
        for bare in strands:
            is_pair = own.program.startswith("mpi") and not bare.program.startswith("mpi") and own.link == bare.link
            if is_pair and group_of(own) == group_of(bare) and bare.name.partition(".")[0] in ("send", "tcp"):
                yield own, bare
