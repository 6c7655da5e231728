"""The checks of a submission, in the order in which they are made: each a function from case to findings."""

from collections.abc import Callable, Iterable

from lab.grade.case import Case
from lab.grade.checks.data import package, records, rerun
from lab.grade.checks.program import correct, program, sources, speed, steps
from lab.grade.checks.report import claims, discussion, pages
from lab.grade.finding import Finding, PartPoints, Score

Check = Callable[[Case], Iterable[Finding | PartPoints | Score]]

CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (package, records, rerun, program, sources, correct, steps, speed, claims, pages, discussion)
}
