"""The student's own programs take the time that they print: twice the messages take so much longer on the site's clock.

A program can print any number, but it can't stop the site's clock. The time that does not grow with the messages
(start, connecting, warm-up) is the same on both sides and drops out of the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.grade.case import Blocked, Case
from lab.grade.finding import Finding, Flaw
from lab.grade.programs import firsts
from lab.plan.plan import Planned, make_trial
from lab.records.record import read_facts, read_samples_of
from lab.run.checks import reported_time_ns

TIMES = 2
# The least share of the passed time to report: an honest loop does a little more than it times.
LEAST_REPORTED = 0.75


def program(case: Case) -> Iterator[Finding]:
    """The first repetition of each own series, as handed in and with twice the messages."""
    own = firsts(case.own_plan)
    if not own:
        return
    try:
        case.setup.measure(case.own_plan.planned)
        longer = {each.trial.key: _longer(case, each) for each in own}
        case.setup.measure(longer.values())
    except Blocked as error:
        yield Finding(Flaw.NOT_MEASURED, str(error))
        return
    for each in own:
        (span, claimed), (longer_span, longer_claimed) = (_times(case, one) for one in (each, longer[each.trial.key]))
        passed = longer_span - span
        if min(claimed, longer_claimed - claimed) < LEAST_REPORTED * passed:
            what = f"by the site's clock the messages take {passed} ns, the program says {claimed} ns"
            yield Finding(
                Flaw.INVENTED, f"{each.series.name}: {what}, and {longer_claimed} ns for {TIMES} times as many"
            )


def _longer(case: Case, planned: Planned) -> Planned:
    counts = tuple(replace(each, iterations=TIMES * each.iterations) for each in planned.trial.request.counts)
    request = replace(planned.trial.request, counts=counts)
    trial = make_trial(planned.series, request, planned.repetition, case.own_plan.site, planned.digests)
    return replace(planned, trial=trial)


def _times(case: Case, planned: Planned) -> tuple[int, int]:
    """The time on the site's clock, and the time that the samples report."""
    results, key = case.setup.results, planned.trial.key
    spans = (step.clock_ns for step in read_facts(results, key).measured.steps)
    return sum(spans), reported_time_ns(read_samples_of(results, key))
