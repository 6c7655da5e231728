"""The checks of a hand-in, in the order in which they are made: a module each, one function from case to findings."""

from collections.abc import Callable, Iterable

from lab.grade.case import Case
from lab.grade.checks.claims import claims
from lab.grade.checks.correct import correct
from lab.grade.checks.discussion import discussion
from lab.grade.checks.package import package
from lab.grade.checks.pages import pages
from lab.grade.checks.program import program
from lab.grade.checks.records import records
from lab.grade.checks.rerun import rerun
from lab.grade.checks.sources import sources
from lab.grade.checks.speed import speed
from lab.grade.checks.steps import steps
from lab.grade.finding import Finding
from lab.grade.result import PartPoints

Check = Callable[[Case], Iterable[Finding | PartPoints]]

CHECKS: dict[str, Check] = {
    each.__name__: each
    for each in (package, records, rerun, program, sources, correct, steps, speed, claims, pages, discussion)
}

__all__ = ["CHECKS", "Check"]
