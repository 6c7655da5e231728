"""Whether a record of a stranger can be true by itself: as planned, whole, counted and timed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lab.errors import LabError, ParseError
from lab.grade.finding import Finding, Kind
from lab.model.trial import Outcome, StepOutcome
from lab.plan.plan import Planned, SiteFacts
from lab.programs.request import Sample
from lab.programs.samples_csv import read_samples, write_samples
from lab.records.link_rate import above_the_link
from lab.report.evidence.evidence import CHECKS
from lab.report.pdf.attachments import PASSING
from lab.run.checks import failed_steps, path, unaccounted, uncounted_bytes, untimed_ns
from lab.run.measure import record_facts

# What a plan cannot foretell: the version of the lab, what the programs chose, and what was checked.
UNPLANNED = (*PASSING, "lab", "header", "checks")
KINDS = {
    "link": Kind.OTHER_LINK,
    "counts": Kind.ROWS,
    "identity": Kind.IDENTITY,
    "traits": Kind.IDENTITY,
    "programs": Kind.IDENTITY,
    "ends": Kind.OTHER_LINK,
    "path": Kind.OTHER_LINK,
}
LONGEST_VERSION = 40


class BadFacts(LabError):
    """A record.json holds something else than what the lab writes."""


def record_findings(
    planned: Planned, site: SiteFacts, facts: dict[str, Any], samples: tuple[Sample, ...]
) -> Iterator[Finding]:
    """All faults of one record."""
    try:
        outcome = outcome_of(facts)
        require_plain(facts)
    except BadFacts as error:
        yield Finding(Kind.RECORD, error.what)
        return
    way = path(site.ends, outcome, samples)
    expected = record_facts(planned, site, outcome) | {"path": way}
    expected["notes"] += unaccounted(planned, outcome, samples)
    yield from _unplanned(facts, expected)
    yield from (Finding(Kind.STATUS, each) for each in failed_steps(outcome))
    yield from _rows(planned, samples)
    yield from _counted(planned, site, outcome, samples)
    yield from _timed(outcome, samples)
    yield from (Finding(Kind.CLOCK, each) for each in above_the_link(planned, site, outcome, samples))


def outcome_of(facts: dict[str, Any]) -> Outcome:
    """What the trial left, as far as the record repeats it; an error where a value is not of its type."""
    steps = tuple(_step(each) for each in _list(facts, "steps"))
    counters = [_counters(facts, name) for name in ("counters_before", "counters_after")]
    clocks = [_whole(facts, name) for name in ("clock_start_ns", "clock_end_ns")]
    return Outcome(steps, counters[0], counters[1], clocks[0], clocks[1], console="", host_seconds=0.0)


def require_plain(facts: dict[str, Any]) -> None:
    """What a report prints of a record, and no plan foretells, is of its type."""
    version = facts.get("lab")
    if not isinstance(version, str) or len(version) > LONGEST_VERSION:
        raise BadFacts("lab is no version")
    checks = _list(facts, "checks")
    if not all(isinstance(each, str) for each in checks) or not set(checks) >= CHECKS:
        raise BadFacts("it does not say that it passed all checks")


def _unplanned(facts: dict[str, Any], planned: dict[str, Any]) -> Iterator[Finding]:
    expected = json.loads(json.dumps(planned))
    for name in sorted((expected.keys() | facts.keys()) - set(UNPLANNED)):
        if facts.get(name) != expected.get(name):
            given, wanted = (json.dumps(each.get(name))[:100] for each in (facts, expected))
            yield Finding(KINDS.get(name, Kind.RECORD), f"{name} is {given}, planned was {wanted}")


def _rows(planned: Planned, samples: tuple[Sample, ...]) -> Iterator[Finding]:
    request = planned.trial.request
    if planned.series.tool.prints_samples:
        try:
            read_samples(write_samples(samples), request)
        except ParseError as error:
            yield Finding(Kind.ROWS, error.what)
    elif {each.size_bytes for each in samples} != {each.size for each in request.counts}:
        yield Finding(Kind.ROWS, "the samples are not of the sizes that were asked for")


def _counted(planned: Planned, site: SiteFacts, outcome: Outcome, samples: tuple[Sample, ...]) -> Iterator[Finding]:
    for name, before in outcome.counters_before.items():
        if outcome.counters_after.get(name, 0) < before:
            yield Finding(Kind.COUNTER, f"{name} went down from {before} to {outcome.counters_after.get(name, 0)}")
    yield from (Finding(Kind.COUNTER, each) for each in uncounted_bytes(planned, site.ends, outcome, samples))


def _timed(outcome: Outcome, samples: tuple[Sample, ...]) -> Iterator[Finding]:
    edges = [outcome.clock_start_ns]
    for step in outcome.steps:
        edges += [step.clock_start_ns, step.clock_end_ns]
    if [*edges, outcome.clock_end_ns] != sorted([*edges, outcome.clock_end_ns]):
        yield Finding(Kind.CLOCK, "the clock went back between the steps")
    yield from (Finding(Kind.CLOCK, each) for each in untimed_ns(outcome, samples))


def _step(facts: Any) -> StepOutcome:
    if not isinstance(facts, dict):
        raise BadFacts("a step is no table")
    names = ("client_status", "server_status", "clock_start_ns", "clock_end_ns")
    return StepOutcome("", "", "", "", *(_whole(facts, name) for name in names))


def _counters(facts: dict[str, Any], name: str) -> dict[str, int]:
    counters = facts.get(name)
    if not isinstance(counters, dict):
        raise BadFacts(f"{name} is no table")
    return {counter: _whole(counters, counter) for counter in counters}


def _list(facts: dict[str, Any], name: str) -> list[Any]:
    if not isinstance(facts.get(name), list):
        raise BadFacts(f"{name} is no list")
    return list(facts[name])


def _whole(facts: dict[str, Any], name: str) -> int:
    value = facts.get(name)
    if type(value) is not int:
        raise BadFacts(f"{name} is no whole number")
    return value
