"""The student's own programs sent what they claim, in the time that they print.

Where the link is a witness, it says so: each message with its size, its operation and its times, at the sizes of the
experiment and at those of the assignment, which no student chose. Elsewhere there are the counters of the link, and the
clock around the programs: a program can print any number, but it can't stop those. The time that does not grow with the
messages (start, connecting, warm-up) is the same with twice as many and drops out of the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from lab.errors import TrialFailed
from lab.grade.case import Blocked, Case
from lab.grade.fault_tests import at_other_sizes
from lab.grade.finding import Finding, Flaw
from lab.grade.programs import TIMES, firsts, lengthened
from lab.grade.witness.counters import unsent
from lab.grade.witness.link import watched
from lab.plan.plan import Planned
from lab.records.record import read_facts, read_samples_of
from lab.run.checks import reported_time_ns
from lab.sites import Witness

# The least share of the passed time to report: an honest loop does a little more than it times.
LEAST_REPORTED = 0.75


def program(case: Case) -> Iterator[Finding]:
    """The first repetition of each own series."""
    own = firsts(case.own_plan)
    if not own:
        return
    try:
        case.setup.measure(case.own_plan.planned)
        witness = case.setup.witness
        yield from _by_the_link(case, own, witness) if witness else _by_the_clock(case, own)
    except Blocked as error:
        yield Finding(Flaw.NOT_MEASURED, str(error))


def _by_the_link(case: Case, own: Iterable[Planned], witness: Witness) -> Iterator[Finding]:
    """As handed in, and at other sizes."""
    asked, ends = case.setup.assignment.asked, case.setup.site.ends
    each_twice = [one for each in own for one in (each, at_other_sizes(each, asked, ends))]
    with ThreadPoolExecutor(case.setup.jobs) as pool:
        for found in pool.map(lambda each: list(_seen(case, each, witness)), each_twice):
            yield from found


def _seen(case: Case, planned: Planned, witness: Witness) -> Iterator[Finding]:
    try:
        found = watched(planned, witness, case.own_plan.site)
    except TrialFailed as error:
        yield Finding(Flaw.FAILS, f"{planned.series.name}: {error}")
        return
    for kind, what in found:
        yield Finding(kind, f"{planned.series.name}: {what}")


def _by_the_clock(case: Case, own: list[Planned]) -> Iterator[Finding]:
    """As handed in, and with twice the messages."""
    longer = {each.trial.key: lengthened(each, case.own_plan.site) for each in own}
    case.setup.measure(longer.values())
    for each in own:
        yield from _by_the_counters(case, each)
        (span, claimed), (longer_span, longer_claimed) = (_times(case, one) for one in (each, longer[each.trial.key]))
        passed = longer_span - span
        if min(claimed, longer_claimed - claimed) < LEAST_REPORTED * passed:
            what = f"by the site's clock the messages take {passed} ns, the program says {claimed} ns"
            yield Finding(
                Flaw.INVENTED, f"{each.series.name}: {what}, and {longer_claimed} ns for {TIMES} times as many"
            )


def _by_the_counters(case: Case, planned: Planned) -> Iterator[Finding]:
    results, key = case.setup.results, planned.trial.key
    found, samples = read_facts(results, key).measured, read_samples_of(results, key)
    for kind, what in unsent(planned, case.setup.site.ends, found, samples):
        yield Finding(kind, f"{planned.series.name}: {what}")


def _times(case: Case, planned: Planned) -> tuple[int, int]:
    """The time on the site's clock, and the time that the samples report."""
    results, key = case.setup.results, planned.trial.key
    spans = (step.clock_ns for step in read_facts(results, key).measured.steps)
    return sum(spans), reported_time_ns(read_samples_of(results, key))
