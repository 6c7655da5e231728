"""Where the instructions of a message go, if that was counted with these very programs on this very machine."""

from __future__ import annotations

from pathlib import Path

from lab.causes.table import Cause, file_of, files_of, read
from lab.causes.window import window
from lab.errors import SpecError
from lab.report.evidence.evidence import Evidence


def causes_of(evidence: Evidence) -> tuple[Cause, ...]:
    """The rows of the experiment's table that are of this plan; none where it was never counted."""
    return evidence.once(_causes_of) if evidence.plan.experiment.causes else ()


def are_counted_here(evidence: Evidence) -> bool:
    """Whether a report shows counts that nobody else has."""
    here = file_of(evidence.plan.experiment.name, evidence.results)
    return bool(evidence.plan.experiment.causes and here.is_file() and _table(evidence) == here)


def _causes_of(evidence: Evidence) -> tuple[Cause, ...]:
    table = _table(evidence)
    return _rows(evidence, table) if table else ()


def _table(evidence: Evidence) -> Path | None:
    """The first that has counts of this plan."""
    tables = (file for file in files_of(evidence.plan.experiment.name, evidence.results) if file.is_file())
    return next((file for file in tables if _rows(evidence, file)), None)


def _rows(evidence: Evidence, table: Path) -> tuple[Cause, ...]:
    known = evidence.once(_records)
    return tuple(row for row in read(table) if known.get((row.series, row.size_bytes)) == row.record)


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
