"""The assignment's steps, each by itself: does its series work at sizes that nobody chose, and how fast is it?

The programs are those of the handed-in sources, with the course's own frame around them.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from lab.compiler.compilation import BuildRefused
from lab.errors import TrialFailed
from lab.grade.advice import with_advice
from lab.grade.case import Blocked, Case
from lab.grade.fault_tests import at_other_sizes
from lab.grade.finding import Finding, Flaw
from lab.grade.overlong import overlong
from lab.grade.programs import firsts
from lab.grade.result import PartPoints
from lab.grade.witness.link import watched
from lab.plan.plan import Plan, Planned
from lab.records.comparison import Result, compare
from lab.records.table import make_table
from lab.spec.experiment import Comparison
from lab.submission.assignment import TaskStep

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
    faults = _seen(case, whole)
    if not faults:
        faults = list(overlong(case.setup, planned))
        return (0 if faults else len(counts)), faults
    if len(counts) == 1:
        return 0, faults
    asked = case.setup.assignment.asked
    each = (at_other_sizes(planned, replace(asked, sizes=(one.size,)), case.setup.site.ends) for one in counts)
    return sum(not _seen(case, one) for one in each), faults


def _seen(case: Case, planned: Planned) -> list[tuple[Flaw, str]]:
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
