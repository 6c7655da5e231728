"""The student's own programs are right at other sizes, and fail after a fault.

Only the site's observations count: exit statuses, the link's counters, its clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from lab.errors import TrialFailed
from lab.grade.case import Blocked, Case
from lab.grade.fault_tests import FaultTest, at_other_sizes, fault_tests
from lab.grade.finding import Finding, Flaw
from lab.grade.programs import firsts
from lab.plan.plan import Planned
from lab.records.record import read_samples_of
from lab.run.measure import measure


def correct(case: Case) -> Iterator[Finding]:
    """Every own series at other sizes; one series of each program through the fault tests."""
    if not firsts(case.setup.plan):
        return
    try:
        case.setup.measure(case.own_plan.planned)
    except Blocked as error:
        yield Finding(Flaw.NOT_MEASURED, str(error))
        return
    own = firsts(case.own_plan)
    programs = {each.series.program: each for each in reversed(own)}
    with ThreadPoolExecutor(case.setup.jobs) as pool:
        found = [pool.submit(_at_other_sizes, case, each) for each in own]
        found += [pool.submit(_through, case, each, one) for each in programs.values() for one in _all(case, each)]
    yield from (finding for each in found if (finding := each.result()))


def _all(case: Case, planned: Planned) -> Iterator[FaultTest]:
    samples = read_samples_of(case.setup.results, planned.trial.key)
    yield from fault_tests(planned, samples, case.setup.assignment.asked, case.setup.site.ends)


def _at_other_sizes(case: Case, planned: Planned) -> Finding | None:
    other = at_other_sizes(planned, case.setup.assignment.asked, case.setup.site.ends)
    try:
        measure(other, case.setup.site, case.own_plan.site)
    except TrialFailed as error:
        return Finding(Flaw.FAILS, f"{planned.series.name}: {error}")
    return None


def _through(case: Case, planned: Planned, test: FaultTest) -> Finding | None:
    fault = test.fault(case.setup.site.run(test.job))
    return Finding(test.kind, f"{planned.series.program} {fault}") if fault else None
