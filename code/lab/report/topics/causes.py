"""The instructions of a message, which `lab profile` counts."""

from contextlib import suppress
from itertools import product
from pathlib import Path

from lab.causes.count import window
from lab.causes.table import Cause, file_of, files_of, read
from lab.errors import SpecError
from lab.plan.plan import Plan
from lab.report.evidence.evidence import Evidence, gather


def causes_of(evidence: Evidence) -> tuple[Cause, ...]:
    """The rows of the experiment's table that are of this plan; none if nothing was counted."""
    return evidence.once(_found)[1] if evidence.plan.experiment.causes else ()


def are_counted_here(plan: Plan, results: Path) -> bool:
    """Whether a report shows counts of this host instead of the reference's."""
    here = file_of(plan.experiment.name, results)
    return bool(plan.experiment.causes) and here.is_file() and _found(gather(plan, results))[0] == here


def _found(evidence: Evidence) -> tuple[Path | None, tuple[Cause, ...]]:
    """The first table that has counts of this plan, and these."""
    records = _records(evidence)
    for file in files_of(evidence.plan.experiment.name, evidence.results):
        table = read(file) if file.is_file() else ()
        rows = tuple(row for row in table if records.get((row.series, row.size_bytes)) == row.record)
        if rows or (table and not evidence.plan.planned):  # rows of the reference belong together
            return file, rows or table
    return None, ()


def _records(evidence: Evidence) -> dict[tuple[str, int], str]:
    """The key of the trial behind each count that this plan would make."""
    plan, causes = evidence.plan, evidence.plan.experiment.causes
    assert causes
    first = {planned.series.name: planned for planned in reversed(plan.planned) if planned.repetition == 1}
    records = dict[tuple[str, int], str]()
    for key in product(causes.series, causes.sizes):
        with suppress(KeyError, SpecError):  # a series or a size that this site does not have
            records[key] = window(first[key[0]], key[1], plan.site).record
    return records
