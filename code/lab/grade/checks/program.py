"""Checks of the student's programs: results, sources, errors, speed and steps."""

import secrets
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial, wraps
from math import ceil
from typing import NamedTuple

from lab.compiler.compilation import BuildRefused
from lab.errors import TrialFailed, plural
from lab.experiment.experiment import Comparison
from lab.grade.case import Blocked, Case
from lab.grade.finding import Fault, Finding, Flaw, PartPoints, Score, with_advice
from lab.grade.rebuild import TIMES, firsts, frame_faults, lengthened, student_trials
from lab.grade.witness.claims import unsent
from lab.model.parameters import Counts
from lab.model.sizes import format_size
from lab.model.trial import DEADLINE_STATUS, NS_PER_S, Ends, Job, place_under_test
from lab.plan.plan import Plan, Planned, steps_of
from lab.programs.program import Request, Sample
from lab.programs.student import Words, split
from lab.records.compare import TOLERANCE, Result, compare, format_result
from lab.records.facts import Measured
from lab.records.record import has_record, open_record
from lab.records.table import make_table
from lab.run.checks import counter_name, reported_time_ns
from lab.run.measure import measure
from lab.submission.assignment import Demands, TaskStep

LEAST_REPORTED = 0.75  # of the elapsed time; an honest loop does a little more than it times
MOST_OVERHEAD = 0.2  # of a time; honest programs wait once for the messages in flight
LARGEST_SEED = 2**31
KILLED_AFTER_S = 0.25  # the client has data for twice this time
# Kills the server and its children after $0 seconds. The shell ends with 0, so that only the client reports a failure.
KILLED = 'setsid "$@" & sleep "$0"; kill -KILL -$!; wait; true'
ALARM = 128 + signal.SIGALRM  # the exit status of a program that its own alarm ended
DELAYED_ACK_NS = 40_000_000  # TCP_DELACK_MIN, include/net/tcp.h of Linux
LEAST_DELAYED = 0.5  # of it: a connection's first acknowledgements come at once


FindingsOf = Callable[[Case], Iterator[Finding]]


def needs_measurements(check: FindingsOf) -> FindingsOf:
    """Turn trials that cannot be measured into a finding of the check."""

    @wraps(check)
    def checked(case: Case) -> Iterator[Finding]:
        try:
            yield from check(case)
        except Blocked as error:
            yield Finding(Flaw.NOT_MEASURED, str(error))

    return checked


@needs_measurements
def program(case: Case) -> Iterator[Finding]:
    if trials := student_trials(case.grader_plan):
        case.measure(case.grader_plan.planned)
        yield from _by_the_link(case, trials) if case.setup.witness else _by_the_clock(case, trials)


def _by_the_link(case: Case, trials: list[Planned]) -> Iterator[Finding]:
    """Compare with the link's log: every repetition at the experiment's sizes, the first one also at the
    assignment's."""
    demands, ends = case.setup.assignment.asked, case.setup.site.ends
    others = [at_other_sizes(planned, demands, ends) for planned in firsts(case.grader_plan)]
    faults_of = [*map(case.faults, trials), *case.each(lambda planned: _refutations(case, planned), others)]
    for planned, faults in zip([*trials, *others], faults_of, strict=True):
        yield from (Finding(kind, f"{planned.series.name}: {what}") for kind, what in faults)


def _refutations(case: Case, planned: Planned, step: TaskStep | None = None) -> list[Fault]:
    """The faults of a trial at other sizes by the link's log, or the reason why it failed."""
    try:
        return case.watch(planned, step=step)[1]
    except TrialFailed as error:
        return [(Flaw.FAILS, f"at the grader's sizes: {error}")]


def _by_the_clock(case: Case, trials: list[Planned]) -> Iterator[Finding]:
    """Compare with the site's clock, with once and twice the messages, and with the device's packets."""
    longer_trials = [lengthened(planned, case.grader_plan.site) for planned in trials]
    case.measure(longer_trials)
    for planned, longer in zip(trials, longer_trials, strict=True):
        measured, samples = _measured(case, planned)
        for kind, what in unsent(planned, case.setup.site.ends, measured, samples):
            yield Finding(kind, f"{planned.series.name}: {what}")
        longer_measured, longer_samples = _measured(case, longer)
        clocks = [sum(step.clock_ns for step in facts.steps) for facts in (measured, longer_measured)]
        claimed, longer_claimed = reported_time_ns(samples), reported_time_ns(longer_samples)
        passed = clocks[1] - clocks[0]
        if min(claimed, longer_claimed - claimed) < LEAST_REPORTED * passed:
            what = f"by the site's clock the messages take {passed} ns, the program prints {claimed} ns"
            more = f"{longer_claimed} ns for {TIMES} times as many"
            yield Finding(Flaw.INVENTED, f"{planned.series.name}: {what}, and {more}")


def _measured(case: Case, planned: Planned) -> tuple[Measured, tuple[Sample, ...]]:
    record = open_record(case.setup.results, planned.trial.key)
    return record.facts().measured, record.samples()


def sources(case: Case) -> Iterator[Finding]:
    """Compare the submitted binary with that of the sources, in every trial."""
    if not firsts(case.setup.course_plan):
        return
    try:
        pairs = list(zip(student_trials(case.grader_plan), student_trials(case.rebuilt_plan), strict=True))
        case.measure((planned for pair in pairs for planned in pair), steps_may_fail=True)
    except BuildRefused as error:
        yield Finding(Flaw.BUILD, str(error))
        return
    except Blocked as error:
        yield Finding(Flaw.SOURCES, str(error))
        return
    for handed_in, rebuilt in pairs:
        work = {has_record(case.setup.results, each.trial.key) for each in (handed_in, rebuilt)}
        if len(work) > 1:
            what = "one of the submitted binary and that of the sources fails"
            yield Finding(Flaw.SOURCES, f"{handed_in.series.name}: {what}")
        if False in work:
            continue
        ours = _quantities(case, rebuilt)
        for name, value in _quantities(case, handed_in).items():
            if abs(value - ours[name]) > TOLERANCE * ours[name]:
                what = f"{name} is {value} with the submitted binary, {ours[name]} with that of the sources"
                yield Finding(Flaw.SOURCES, f"{handed_in.series.name}: {what}")


def _quantities(case: Case, planned: Planned) -> dict[str, int]:
    measured, samples = _measured(case, planned)
    counter = counter_name(planned.series, case.grader_plan.site.ends, measured.counters_after)
    quantities = {counter: measured.grown.get(counter, 0)}
    for number, step in enumerate(measured.steps, 1):
        quantities[f"the site's time in ns of pair {number}"] = step.clock_ns
    for size in sorted({sample.size_bytes for sample in samples}):
        time_ns = reported_time_ns(sample for sample in samples if sample.size_bytes == size)
        quantities[f"the time in ns that it prints for {plural(size, 'byte')}"] = time_ns
    return quantities


@needs_measurements
def correct(case: Case) -> Iterator[Finding]:
    """Run every series of the student's programs at other sizes, and one series of each through the fault tests."""
    if not firsts(case.setup.course_plan):
        return
    case.measure(case.grader_plan.planned)
    demands, ends = case.setup.assignment.asked, case.setup.site.ends

    def run_at_other_sizes(planned: Planned) -> Finding | None:
        try:
            measure(at_other_sizes(planned, demands, ends), case.setup.site, case.grader_plan.site)
        except TrialFailed as error:
            return Finding(Flaw.FAILS, f"{planned.series.name}: at the grader's sizes: {error}")
        return None

    def run_fault_test(planned: Planned, test: FaultTest) -> Finding | None:
        ending = _wrong_ending(case.setup.site.run(test.job).steps[0].client_status, test.job.deadline_s)
        return Finding(test.kind, f"{planned.series.program} {test.what}: the client {ending}") if ending else None

    trials = firsts(case.grader_plan)
    runs = [partial(run_at_other_sizes, planned) for planned in trials]
    for planned in {planned.series.program: planned for planned in reversed(trials)}.values():
        samples = open_record(case.setup.results, planned.trial.key).samples()
        runs += [partial(run_fault_test, planned, test) for test in fault_tests(planned, samples, demands, ends)]
    yield from filter(None, case.each(lambda run: run(), runs))


class FaultTest(NamedTuple):
    """A job with a fault. Its client must end by itself with an error."""

    what: str
    kind: Flaw
    job: Job


def _wrong_ending(status: int, deadline_s: int) -> str:
    """The ending of a client that did not report the fault; empty if it did."""
    if 0 < status < DEADLINE_STATUS or status == ALARM:
        return ""
    endings = {0: "ends well", DEADLINE_STATUS: f"does not end within {deadline_s} s"}
    return endings.get(status, f"is ended by signal {status - 128}")


def fault_tests(planned: Planned, samples: tuple[Sample, ...], demands: Demands, ends: Ends) -> Iterator[FaultTest]:
    """The assignment's fault tests, each a job of one step; `samples` are of the same trial without a fault."""
    request = planned.trial.request
    job = _job(planned, replace(request, counts=request.counts[:1]), ends)
    step = job.steps[0]
    for text in demands.refuses:
        refused = replace(step, client=_with_options(step.client, split(text)))
        yield FaultTest(f"with {text!r}", Flaw.TAKES_ANYTHING, replace(job, steps=(refused,)))
    if demands.no_server:
        yield FaultTest("without a server", Flaw.ENDS_WELL, replace(job, steps=(replace(step, server=("true",)),)))
    if demands.killed_server and samples:
        yield FaultTest("with a killed server", Flaw.ENDS_WELL, _killed(planned, samples, ends))


def _killed(planned: Planned, samples: tuple[Sample, ...], ends: Ends) -> Job:
    """The largest size with enough iterations that the client still sends when the server is killed."""
    size = max(sample.size_bytes for sample in samples)
    slowest = max((sample for sample in samples if sample.size_bytes == size), key=lambda sample: sample.time_ns)
    iterations = ceil(2 * KILLED_AFTER_S * NS_PER_S * max(slowest.messages, 1) / max(slowest.time_ns, 1))
    counts = (replace(_counts(planned, size), iterations=iterations),)
    job = _job(planned, replace(planned.trial.request, counts=counts), ends)
    (step,) = job.steps
    server = ("sh", "-c", KILLED, str(KILLED_AFTER_S), *step.server)
    return replace(job, steps=(replace(step, server=server),))


def at_other_sizes(planned: Planned, demands: Demands, ends: Ends) -> Planned:
    """The same trial at the assignment's sizes, with an unpredictable seed, and with data that both ends check where
    the program can."""
    request = planned.trial.request
    parameters = replace(request.parameters, seed=secrets.randbelow(LARGEST_SEED))
    request = replace(request, parameters=parameters, counts=tuple(_counts(planned, size) for size in demands.sizes))
    job, options = _job(planned, request, ends), demands.verify
    steps = tuple(
        replace(step, server=_with_options(step.server, options), client=_with_options(step.client, options))
        for step in job.steps
    )
    return replace(planned, trial=replace(planned.trial, request=request, job=replace(job, steps=steps)))


def _job(planned: Planned, request: Request, ends: Ends) -> Job:
    return replace(planned.trial.job, steps=steps_of(planned.series, request, ends))


def _counts(planned: Planned, size: int) -> Counts:
    """The fewest iterations of the trial, for another size."""
    return replace(min(planned.trial.request.counts, key=lambda count: count.iterations), size=size)


def _with_options(command: Words, options: Words) -> Words:
    """The command with these options right behind the program's name."""
    behind = place_under_test(command) + 1
    return (*command[:behind], *options, *command[behind:])


def speed(case: Case) -> Iterator[Finding]:
    """Compare the student's program with Verbyte's or a reference tool, by the grader's records; raise if the program
    printed times that the check `program` refutes."""
    if faults := case.made(program):
        raise Blocked(f"the times of the student's programs do not count: {faults[0]}", hint="see the check program")
    for comparison in case.setup.course_plan.experiment.comparisons:
        result = compare(comparison, case.grader_evidence.rows)
        if not result.holds:
            yield Finding(Flaw.SLOW, format_result(result).strip())


def steps(case: Case) -> Iterator[Finding | PartPoints | Score]:
    """Give points for each step's sizes and for each of its tiers, and explain the missing ones."""
    task_steps = case.setup.assignment.steps
    if not task_steps:
        return
    try:
        plan = case.rebuilt_plan
        faults = [Finding(Flaw.FRAME, fault) for fault in frame_faults(plan)]
    except BuildRefused as error:
        faults = [Finding(Flaw.BUILD, str(error))]
    if faults:
        yield from faults
        yield from (PartPoints(step.series, step.most, 0) for step in task_steps)
        return
    trials = {step.series: [each for each in plan.planned if each.series.name == step.series] for step in task_steps}
    for results in case.each(lambda step: list(_step(case, plan, step, trials[step.series])), task_steps):
        yield from results


def _step(case: Case, plan: Plan, step: TaskStep, trials: list[Planned]) -> Iterator[Finding | PartPoints | Score]:
    demands = case.setup.assignment.asked
    demands = replace(demands, sizes=(step.size,)) if step.size else demands
    works, faults = _working_sizes(case, trials, step, demands)
    sizes = len(demands.sizes)
    yield from (with_advice(kind, f"{step.series}: {what}", step.advice) for kind, what in faults)
    yield PartPoints(f"{step.series}: {step.asks}", step.points, step.points * works // sizes)
    if step.tiers:
        yield from _tiers(step, _compared(case, plan, step) if works == sizes else None)
    ranked = case.setup.assignment.leaderboard
    if ranked and ranked.series == step.series and works == sizes and (result := _compared(case, plan, step)):
        size, value = max(result.ours.items())
        yield Score(f"{step.series} at {format_size(size)}", value, result.unit, least_is_best=result.unit == "ns")


def _working_sizes(case: Case, trials: list[Planned], step: TaskStep, demands: Demands) -> tuple[int, list[Fault]]:
    """The number of sizes at which a step works, and the faults at the others. None counts if the step uses another
    method, or if its records, which the report and the tiers use, have a fault."""
    planned, ends = trials[0], case.setup.site.ends
    faults = _refutations(case, at_other_sizes(planned, demands, ends), step)
    if not faults:
        faults = [fault for trial in trials for fault in case.faults(trial)] or _overhead(case, planned)
        return (0 if faults else len(demands.sizes)), faults
    if len(demands.sizes) == 1 or any(kind is Flaw.METHOD for kind, _ in faults):
        return 0, faults
    single = (at_other_sizes(planned, replace(demands, sizes=(size,)), ends) for size in demands.sizes)
    return sum(not _refutations(case, trial, step) for trial in single), faults


def _overhead(case: Case, planned: Planned) -> list[Fault]:
    """The fault of times that include more than their messages: a part that does not grow with their number. A kernel's
    work (80 us) may be part of one time, so that the median over the sizes counts."""
    if planned.series.tool.silent or planned.series.tool.together:  # the course's frame times several computers
        return []
    longer = lengthened(planned, case.setup.course_plan.site)
    if faults := case.faults(longer):
        return [(kind, f"with twice the messages: {what}") for kind, what in faults]
    times, longer_times = (
        {sample.size_bytes: sample.time_ns for sample in _measured(case, trial)[1]} for trial in (planned, longer)
    )
    overheads = {
        size: (TIMES * time_ns - longer_times.get(size, TIMES * time_ns)) // (TIMES - 1)
        for size, time_ns in times.items()
    }
    ranked = sorted(times, key=lambda size: overheads[size] / max(times[size], 1))
    size = ranked[(len(ranked) - 1) // 2]
    if overheads[size] > MOST_OVERHEAD * times[size]:
        what = f"of the {times[size]} ns for messages of {plural(size, 'byte')}, {overheads[size]} ns do not grow"
        return [(Flaw.CLOCK, f"{what} with their number")]
    return []


def _tiers(step: TaskStep, result: Result | None) -> Iterator[Finding | PartPoints]:
    """Points for the geometric mean, over the experiment's sizes, of the rate over that of another series."""
    reached = result.geometric_mean if result else 0.0
    missed = [tier for tier in step.tiers if reached < tier.at_least]
    for tier in step.tiers:
        name = f"{step.series}: at least {tier.at_least:g} of {step.against}"
        yield PartPoints(name, tier.points, 0 if tier in missed else tier.points)
    if result and missed:
        what = f"it reaches {reached:.2f} of the rate of {step.against} on average over the sizes"
        more = f"{missed[0].at_least:g} gives {plural(missed[0].points, 'more point')}"
        # Even at the best size, a message that is held back takes as long as a delayed acknowledgement.
        took_ns = min(value if result.unit == "ns" else size * 1e9 / value for size, value in result.ours.items())
        if took_ns > LEAST_DELAYED * DELAYED_ACK_NS:
            delay = f"Linux delays an acknowledgement by {DELAYED_ACK_NS / 1e6:g} ms"
            more = f"{more}; a message takes {took_ns / 1e6:.0f} ms, and {delay}"
        yield with_advice(Flaw.SLOW, f"{step.series}: {what}; {more}", step.advice)


def _compared(case: Case, plan: Plan, step: TaskStep) -> Result | None:
    planned = tuple(trial for trial in plan.planned if trial.series.name in (step.series, step.against))
    try:
        case.measure(planned)
    except Blocked:
        return None
    rows = make_table(replace(plan, planned=planned), case.setup.results)
    return compare(Comparison(step.series, step.series, 0.0, tuple(filter(None, (step.against,)))), rows)
