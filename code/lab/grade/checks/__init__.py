"""The checks of a hand-in, in the order in which they are made: a module each, one function from case to findings."""

from collections.abc import Callable, Iterable

from lab.grade.case import Case
from lab.grade.checks.discussion import claims, discussion
from lab.grade.checks.package import package, pages, sources
from lab.grade.checks.program import correct, program, speed, steps
from lab.grade.checks.records import records, rerun
from lab.grade.finding import Finding, PartPoints

Check = Callable[[Case], Iterable[Finding | PartPoints]]

CHECKS: dict[str, Check] = {
    each.__name__: each
    for each in (package, records, rerun, program, sources, correct, steps, speed, claims, pages, discussion)
}

__all__ = ["CHECKS", "Check"]
