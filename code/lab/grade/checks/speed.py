"""Every comparison that the experiment asks for holds among the records that the grader measured."""

from __future__ import annotations

from collections.abc import Iterator

from lab.grade.case import Blocked, Case
from lab.grade.finding import Finding, Flaw
from lab.records.comparison import compare, format_result


def speed(case: Case) -> Iterator[Finding]:
    """The student's program against the lab's or a peer's on one link, whatever the hand-in says."""
    comparisons = case.setup.plan.experiment.comparisons
    if not comparisons:
        return
    try:
        rows = case.own.rows
    except Blocked as error:
        yield Finding(Flaw.NOT_MEASURED, str(error))
        return
    for result in (compare(each, rows) for each in comparisons):
        if not result.holds:
            yield Finding(Flaw.SLOW, format_result(result).strip())
