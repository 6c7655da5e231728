"""The instructions of a message: counted, so that a second count gives the same number."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from lab.causes.count import window
from lab.causes.table import WAITING, Cause, file_of, files_of, read
from lab.errors import SpecError
from lab.plan.plan import Plan
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence, gather


def causes_of(evidence: Evidence) -> tuple[Cause, ...]:
    """The rows of the experiment's table that are of this plan; none where it was never counted."""
    return evidence.once(_found)[1] if evidence.plan.experiment.causes else ()


def are_counted_here(plan: Plan, results: Path) -> bool:
    """Whether a report shows counts that nobody else has."""
    here = file_of(plan.experiment.name, results)
    return bool(plan.experiment.causes) and here.is_file() and _found(gather(plan, results))[0] == here


def _found(evidence: Evidence) -> tuple[Path | None, tuple[Cause, ...]]:
    """The first table that has counts of this plan, and these."""
    known = _records(evidence)
    for file in files_of(evidence.plan.experiment.name, evidence.results):
        table = read(file) if file.is_file() else ()
        rows = tuple(row for row in table if known.get((row.series, row.size_bytes)) == row.record)
        if rows or (table and not evidence.plan.planned):  # rows of the reference belong together
            return file, rows or table
    return None, ()


def _records(evidence: Evidence) -> dict[tuple[str, int], str]:
    """The key of the trial behind each count that this plan would make."""
    plan, asked = evidence.plan, evidence.plan.experiment.causes
    assert asked
    first = {each.series.name: each for each in reversed(plan.planned) if each.repetition == 1}
    found = dict[tuple[str, int], str]()
    for name in asked.series:
        for size in asked.sizes:
            try:
                found[name, size] = window(first[name], size, plan.site).record
            except (KeyError, SpecError):  # a series or a size that this site does not have
                continue
    return found


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
