"""Where the instructions of a message go, if that was counted with these very programs on this very machine."""

from __future__ import annotations

from lab.causes.table import Cause, files_of, read
from lab.causes.window import window
from lab.errors import SpecError
from lab.report.evidence.evidence import Evidence


def causes_of(evidence: Evidence) -> tuple[Cause, ...]:
    """The rows of the experiment's table that are of this plan; none where it was never counted."""
    return evidence.once(_causes_of) if evidence.plan.experiment.causes else ()


def _causes_of(evidence: Evidence) -> tuple[Cause, ...]:
    known = _records(evidence)
    tables = (file for file in files_of(evidence.plan.experiment.name, evidence.results) if file.is_file())
    found = (
        tuple(row for row in read(file) if known.get((row.series, row.size_bytes)) == row.record) for file in tables
    )
    return next((rows for rows in found if rows), ())


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
