"""Checks of a stranger's record by itself: as planned, whole, counted and timed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from lab.errors import ParseError
from lab.grade.environment import said_findings
from lab.grade.finding import Finding, Flaw
from lab.model.trial import Outcome, StepOutcome
from lab.plan.plan import Planned, SiteFacts
from lab.programs.request import Sample
from lab.programs.samples_csv import read_samples, write_samples
from lab.records.facts import VOLATILE, Measured, parse_facts
from lab.records.link_rate import above_the_link
from lab.run.checks import failed_steps, uncounted_bytes, untimed_ns
from lab.run.measure import judged, record_facts
from lab.typed_json import JsonError, JsonTable

# The fields that a plan cannot foretell: the version of the lab, the programs' choices, and the checks.
UNPLANNED = (*VOLATILE, "lab", "header", "checks")
KINDS = {
    "link": Flaw.OTHER_LINK,
    "counts": Flaw.ROWS,
    "identity": Flaw.IDENTITY,
    "traits": Flaw.IDENTITY,
    "programs": Flaw.IDENTITY,
    "ends": Flaw.OTHER_LINK,
    "path": Flaw.OTHER_LINK,
}


def record_findings(
    planned: Planned, site: SiteFacts, record: JsonTable, samples: tuple[Sample, ...]
) -> Iterator[Finding]:
    """All faults of one record."""
    try:
        facts = parse_facts(record)
    except JsonError as error:
        yield Finding(Flaw.RECORD, error.what)
        return
    yield from said_findings(facts)
    outcome = outcome_of(facts.measured)
    expected = replace(record_facts(planned, site, outcome), judged=judged(planned, site, outcome, samples))
    yield from _unplanned(record, expected.table())
    yield from (Finding(Flaw.STATUS, each) for each in failed_steps(outcome))
    yield from _rows(planned, samples)
    yield from _counted(planned, site, outcome, samples)
    yield from _timed(outcome, samples)
    yield from (Finding(Flaw.CLOCK, each) for each in above_the_link(planned, site, outcome, samples))


def outcome_of(found: Measured) -> Outcome:
    """The outcome of the trial, as far as the record holds it."""
    steps = (
        StepOutcome("", "", "", "", each.client_status, each.server_status, each.clock_start_ns, each.clock_end_ns)
        for each in found.steps
    )
    clocks = (found.clock_start_ns, found.clock_end_ns)
    return Outcome(tuple(steps), found.counters_before, found.counters_after, *clocks, console="", host_seconds=0.0)


def _unplanned(given: JsonTable, expected: JsonTable) -> Iterator[Finding]:
    for name in sorted((expected.keys() | given.keys()) - set(UNPLANNED)):
        if given.get(name) != expected.get(name):
            one, other = (json.dumps(each.get(name))[:100] for each in (given, expected))
            yield Finding(KINDS.get(name, Flaw.RECORD), f"{name} is {one}, planned was {other}")


def _rows(planned: Planned, samples: tuple[Sample, ...]) -> Iterator[Finding]:
    request = planned.trial.request
    if planned.series.tool.prints_samples:
        try:
            read_samples(write_samples(samples), request, ours=planned.series.tool.build is None)
        except ParseError as error:
            yield Finding(Flaw.ROWS, error.what)
    elif not _of_sizes(planned, samples):
        yield Finding(Flaw.ROWS, "the samples are not of the sizes that were asked for")
    elif impossible := next((each for each in samples if each.time_ns <= 0 or each.bytes <= 0 < each.size_bytes), None):
        yield Finding(Flaw.ROWS, f"an impossible sample: {impossible}")


def _of_sizes(planned: Planned, samples: tuple[Sample, ...]) -> bool:
    """Whether the samples are of the sizes that were asked for; an own program may have lost some, or print none."""
    asked, there = {each.size for each in planned.trial.request.counts}, {each.size_bytes for each in samples}
    tool = planned.series.tool
    return not there if tool.silent else bool(there) and there <= asked if tool.build else there == asked


def _counted(planned: Planned, site: SiteFacts, outcome: Outcome, samples: tuple[Sample, ...]) -> Iterator[Finding]:
    for name, before in outcome.counters_before.items():
        if outcome.counters_after.get(name, 0) < before:
            yield Finding(Flaw.COUNTER, f"{name} went down from {before} to {outcome.counters_after.get(name, 0)}")
    yield from (Finding(Flaw.COUNTER, each) for each in uncounted_bytes(planned, site.ends, outcome, samples))


def _timed(outcome: Outcome, samples: tuple[Sample, ...]) -> Iterator[Finding]:
    edges = [outcome.clock_start_ns]
    for step in outcome.steps:
        edges += [step.clock_start_ns, step.clock_end_ns]
    if [*edges, outcome.clock_end_ns] != sorted([*edges, outcome.clock_end_ns]):
        yield Finding(Flaw.CLOCK, "the clock went back between the steps")
    yield from (Finding(Flaw.CLOCK, each) for each in untimed_ns(outcome, samples))
