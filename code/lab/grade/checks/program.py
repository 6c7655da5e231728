"""Checks of the student's programs: results, errors, speed and steps."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import ceil

from lab.compiler.compilation import BuildRefused
from lab.errors import TrialFailed
from lab.experiment.experiment import Comparison
from lab.grade.case import Blocked, Case, GradingSetup
from lab.grade.finding import Finding, Flaw, PartPoints, with_advice
from lab.grade.rebuild import TIMES, firsts, lengthened
from lab.grade.witness.claims import unsent, watched
from lab.model.parameters import Counts
from lab.model.trial import DEADLINE_STATUS, NS_PER_S, Ends, Job, Outcome, place_under_test
from lab.plan.plan import Plan, Planned, SiteFacts, steps_of
from lab.programs.program import Sample
from lab.programs.student import Words, split
from lab.records.compare import Result, compare, format_result
from lab.records.record import read_facts, read_samples_of
from lab.records.table import make_table
from lab.run.checks import reported_time_ns
from lab.run.measure import measure
from lab.sites.site import Witness
from lab.submission.assignment import Demands, TaskStep

# Of a time, the most that may be no message: honest programs wait once for what they have in flight.
MOST_ELSE = 0.2


def overlong(setup: GradingSetup, planned: Planned) -> Iterator[tuple[Flaw, str]]:
    """The first size whose time holds more than its messages."""
    if planned.series.tool.silent:
        return
    try:
        times = [_times_by_size(setup, each) for each in (planned, lengthened(planned, SiteFacts.of(setup.site)))]
    except TrialFailed as error:
        yield Flaw.FAILS, f"with twice the messages: {error}"
        return
    for size, time_ns in times[0].items():
        else_ns = (TIMES * time_ns - times[1].get(size, TIMES * time_ns)) // (TIMES - 1)
        if else_ns > MOST_ELSE * time_ns:
            what = f"of the {time_ns} ns for messages of {size} bytes, {else_ns} ns do not grow with their number"
            yield Flaw.CLOCK, what
            return


def _times_by_size(setup: GradingSetup, planned: Planned) -> dict[int, int]:
    record = measure(planned, setup.site, SiteFacts.of(setup.site))
    return {each.size_bytes: each.time_ns for each in record.samples}


LARGEST_SEED = 2**31
KILLED_AFTER_S = 0.25  # the client has data for twice this time
# Kills the server after $0 seconds, and what it started. The shell then ends well, so that only the client reports the
# failure.
KILLED = 'setsid "$@" & sleep "$0"; kill -KILL -$!; wait; true'
ALARM = 128 + signal.SIGALRM  # the exit status of a program that its own alarm ended


@dataclass(frozen=True)
class FaultTest:
    """A job with a fault. Its client must end by itself with an error."""

    what: str
    kind: Flaw
    job: Job

    def fault(self, outcome: Outcome) -> str | None:
        """The sentence for a client that ended otherwise, else None."""
        status = outcome.steps[0].client_status
        if 0 < status < DEADLINE_STATUS or status == ALARM:
            return None
        ends = {0: "ends well", DEADLINE_STATUS: f"does not end within {self.job.deadline_s} s"}
        return f"{self.what}: the client {ends.get(status, f'is ended by signal {status - 128}')}"


def at_other_sizes(planned: Planned, asked: Demands, ends: Ends) -> Planned:
    """The same trial at the assignment's sizes, with a seed that nobody could know, and with data that both ends check
    where the program can."""
    planned = _reseeded(planned)
    counts = tuple(_counts(planned, size) for size in asked.sizes)
    job = _job(planned, counts, ends)
    both = ((step, _with(step.server, asked.verify), _with(step.client, asked.verify)) for step in job.steps)
    steps = (replace(step, server=server, client=client) for step, server, client in both)
    request = replace(planned.trial.request, counts=counts)
    return replace(planned, trial=replace(planned.trial, request=request, job=replace(job, steps=tuple(steps))))


def fault_tests(planned: Planned, samples: tuple[Sample, ...], asked: Demands, ends: Ends) -> Iterator[FaultTest]:
    """The assignment's fault tests, each a job of one step; `samples` are of the same trial without a fault."""
    job = _job(planned, planned.trial.request.counts[:1], ends)
    (step,) = job.steps[:1]
    for text in asked.refuses:
        other = replace(step, client=_with(step.client, split(text)))
        yield FaultTest(f"told {text!r}", Flaw.TAKES_ANYTHING, replace(job, steps=(other,)))
    if asked.no_server:
        yield FaultTest("without a server", Flaw.ENDS_WELL, replace(job, steps=(replace(step, server=("true",)),)))
    if asked.killed_server and samples:
        yield FaultTest("its server killed while it sent", Flaw.ENDS_WELL, _killed(planned, samples, ends))


def _killed(planned: Planned, samples: tuple[Sample, ...], ends: Ends) -> Job:
    """The largest size with so many iterations that the client still sends when the server is killed."""
    size = max(each.size_bytes for each in samples)
    timed = max((each for each in samples if each.size_bytes == size), key=lambda each: each.time_ns)
    iterations = ceil(2 * KILLED_AFTER_S * NS_PER_S * max(timed.messages, 1) / max(timed.time_ns, 1))
    job = _job(planned, (replace(_counts(planned, size), iterations=iterations),), ends)
    (step,) = job.steps
    server = ("sh", "-c", KILLED, str(KILLED_AFTER_S), *step.server)
    return replace(job, steps=(replace(step, server=server),))


def _reseeded(planned: Planned) -> Planned:
    request = planned.trial.request
    parameters = replace(request.parameters, seed=secrets.randbelow(LARGEST_SEED))
    return replace(planned, trial=replace(planned.trial, request=replace(request, parameters=parameters)))


def _job(planned: Planned, counts: tuple[Counts, ...], ends: Ends) -> Job:
    """The trial's job with other sizes or counts."""
    request = replace(planned.trial.request, counts=counts)
    return replace(planned.trial.job, steps=steps_of(planned.series, request, ends))


def _counts(planned: Planned, size: int) -> Counts:
    """The counts of the size with the fewest iterations, for another size."""
    return replace(min(planned.trial.request.counts, key=lambda each: each.iterations), size=size)


def _with(command: Words, words: Words) -> Words:
    """The command with these options before those of the experiment, behind the program of the folder."""
    behind = place_under_test(command) + 1
    return (*command[:behind], *words, *command[behind:])


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


Found = Finding | PartPoints
DELAYED_ACK_NS = 40_000_000  # TCP_DELACK_MIN, include/net/tcp.h of Linux
LEAST_HELD = 0.5  # of it: a connection's first acknowledgements come at once


def steps(case: Case) -> Iterator[Found]:
    """A part for each step's sizes and for each of its tiers, with what is to be said of those that were missed."""
    asked = case.setup.assignment.steps
    if not asked:
        return
    try:
        plan = case.plan_from_sources
    except BuildRefused as error:
        yield Finding(Flaw.BUILD, str(error))
        yield from (PartPoints(each.series, each.most, 0) for each in asked)
        return
    own = {each.series.name: each for each in firsts(plan)}
    with ThreadPoolExecutor(case.setup.jobs) as pool:
        for found in pool.map(lambda each: list(_step(case, plan, each, own[each.series])), asked):
            yield from found


def _step(case: Case, plan: Plan, step: TaskStep, planned: Planned) -> Iterator[Found]:
    """Points by size, then those of the tiers, which only a program that works can have."""
    good, findings = _works(case, planned)
    sizes = len(case.setup.assignment.asked.sizes)
    yield from (Finding(kind, with_advice(kind, f"{step.series}: {what}", step.advice)) for kind, what in findings)
    yield PartPoints(f"{step.series}: {step.asks}", step.points, step.points * good // sizes)
    if step.tiers:
        yield from _tiers(case, plan, step, works=good == sizes)


def _works(case: Case, planned: Planned) -> tuple[int, list[tuple[Flaw, str]]]:
    """The number of sizes at which nothing is wrong, and what is wrong first."""
    whole = at_other_sizes(planned, case.setup.assignment.asked, case.setup.site.ends)
    counts = whole.trial.request.counts
    faults = _refutations(case, whole)
    if not faults:
        faults = list(overlong(case.setup, planned))
        return (0 if faults else len(counts)), faults
    if len(counts) == 1:
        return 0, faults
    asked = case.setup.assignment.asked
    each = (at_other_sizes(planned, replace(asked, sizes=(one.size,)), case.setup.site.ends) for one in counts)
    return sum(not _refutations(case, one) for one in each), faults


def _refutations(case: Case, planned: Planned) -> list[tuple[Flaw, str]]:
    """What the link refutes of a trial, or why it failed."""
    witness = case.setup.witness
    if witness is None:
        raise Blocked("steps are graded where the link is a witness", hint='site = "exact"')
    try:
        return watched(planned, witness, case.setup.plan.site)
    except TrialFailed as error:
        return [(Flaw.FAILS, str(error))]


def _tiers(case: Case, plan: Plan, step: TaskStep, *, works: bool) -> Iterator[Found]:
    """The geometric mean over the experiment's sizes of the rate over the other series', by the grader's records."""
    found = _compared(case, plan, step) if works else None
    reached = found.geometric_mean if found else 0.0
    for tier in step.tiers:
        has = reached >= tier.at_least
        yield PartPoints(f"{step.series}: at least {tier.at_least:g} of {step.against}", tier.points, tier.points * has)
    missed = [tier for tier in step.tiers if reached < tier.at_least]
    if found and missed:
        what = f"it reaches {reached:.2f} of the rate of {step.against} in the mean over the sizes"
        more = f"{missed[0].at_least:g} gives {missed[0].points} points more"
        said = "; ".join([f"{step.series}: {what}", more, *_waits(found)])
        yield Finding(Flaw.SLOW, with_advice(Flaw.SLOW, said, step.advice))


def _waits(found: Result) -> Iterator[str]:
    """A message that takes as long as an acknowledgement is held back, even where it takes least."""
    took_ns = min(size * 1e9 / rate for size, rate in found.ours.items())
    if took_ns > LEAST_HELD * DELAYED_ACK_NS:
        delay = f"Linux delays an acknowledgement by {DELAYED_ACK_NS / 1e6:g} ms"
        yield f"a message takes {took_ns / 1e6:.0f} ms, and {delay}"


def _compared(case: Case, plan: Plan, step: TaskStep) -> Result | None:
    pair = (step.series, step.against)
    planned = tuple(each for each in plan.planned if each.series.name in pair)
    try:
        case.setup.measure(planned)
    except Blocked:
        return None
    rows = make_table(replace(plan, planned=planned), case.setup.results)
    return compare(Comparison(step.series, step.series, (step.against,), 0.0), rows)
