"""The instructions of a message: counted, so that a second count is the same to the last instruction."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from lab.causes.classes import WAITING
from lab.causes.table import Cause
from lab.report.evidence.causes import causes_of
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence


@dataclass(frozen=True)
class MessageCost:
    """What a message of one size costs one end of a series; an instruction takes a nanosecond."""

    curve: Subject
    size: int
    end: str
    parts: tuple[tuple[str, float], ...]  # instructions by kind of work, the wait with them
    record: str  # the key of the trial that was counted

    @property
    def work(self) -> float:
        """All instructions without the wait; a program's start may cost less by chance."""
        return max(sum(value for kind, value in self.parts if kind != WAITING), 0.0)


def costs(evidence: Evidence) -> tuple[MessageCost, ...]:
    """The counts by series, size and end, in the order of the table."""
    groups = groupby(causes_of(evidence), lambda row: (row.series, row.size_bytes, row.end))
    return tuple(_cost(evidence, *key, tuple(rows)) for key, rows in groups)


def _cost(evidence: Evidence, series: str, size: int, end: str, rows: tuple[Cause, ...]) -> MessageCost:
    parts = tuple((row.work, row.per_message) for row in rows)
    return MessageCost(subject(evidence, evidence.series(series)), size, end, parts, rows[0].record)
