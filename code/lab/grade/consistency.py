"""Whether a record agrees with itself and with the machine that it names."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace

from lab.errors import OpeningFault, ParseError
from lab.experiment.experiment import Series
from lab.grade.finding import Finding, Flaw
from lab.model.trial import Outcome, StepOutcome
from lab.plan.plan import Planned, SiteFacts
from lab.programs.program import Sample
from lab.programs.samples_csv import read_samples, write_samples
from lab.records.facts import CHECKS, VOLATILE, Facts, Measured, parse_facts
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.parameters import effective
from lab.run.checks import above_the_link, failed_steps, uncounted_bytes, untimed_ns
from lab.run.measure import judged, record_facts
from lab.submission.archive import SubmissionError
from lab.typed_json import JsonError, JsonTable

LARGEST = 2**20
MOST_DIGITS = 20  # of a whole number: time in ns since 1970 has 19


def require_plain(content: bytes, where: str) -> None:
    """Refuse too much, too deep, or numbers that nothing measures. What is no JSON at all, its reader names."""
    if len(content) > LARGEST:
        raise SubmissionError(f"has more than {LARGEST} bytes", where, fault=OpeningFault.TOO_LARGE)
    try:
        json.loads(content, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    except _NoNumber as error:
        raise SubmissionError(f"holds a number that nothing measures: {error}", where) from error
    except RecursionError as error:
        what = "is nested more deeply than anything that the lab writes"
        raise SubmissionError(what, where, fault=OpeningFault.TOO_LARGE) from error
    except ValueError:
        return


class _NoNumber(Exception):
    """A number beyond the bounds."""


def _whole(text: str) -> int:
    if len(text.lstrip("-")) > MOST_DIGITS:
        raise _NoNumber(f"{text[:MOST_DIGITS]}... with {len(text)} digits")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _NoNumber(text[:MOST_DIGITS])
    return value


MOST_LINES, LONGEST_LINE, MOST_HEADER_DIGITS = 1000, 20_000, 19  # of a header: more no program of the lab prints
MOST_NODES = 64
# Values of a header that a wall clock chooses by how fast the computer is.
TIMED = frozenset({"iterations", "warmup", "operations"})
_VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}(?:\.?(?:dev|a|b|rc)\d{1,4})?(?:\+[0-9a-f]{1,40})?", re.ASCII)
_NODE = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?", re.ASCII | re.IGNORECASE)
_DIGITS = re.compile(rf"\d{{{MOST_HEADER_DIGITS + 1}}}")


def said_findings(facts: Facts) -> Iterator[Finding]:
    """The faults that show in one record by itself."""
    if not _VERSION.fullmatch(facts.judged.lab):
        yield Finding(Flaw.RECORD, f"lab is no version: {facts.judged.lab!r:.60}")
    if set(facts.judged.checks or ()) != set(CHECKS):
        yield Finding(Flaw.RECORD, "it does not say that it passed all checks, and no others")
    header = facts.measured.header or {}
    if len(header) > MOST_LINES or any(_is_strange(text) for line in header.items() for text in line):
        yield Finding(Flaw.HEADER, "its header is none that a program printed: too long, or not to be printed")
    if len(facts.moment.nodes) > MOST_NODES or not all(map(_NODE.fullmatch, facts.moment.nodes)):
        yield Finding(Flaw.STATE, f"its nodes are no names of computers: {facts.moment.nodes!r:.80}")


def header_findings(given: Evidence, own: Evidence) -> Iterator[Finding]:
    """The printed values of headers beside those that the same programs print here."""
    for series in own.plan.experiment.series:
        here, there = (_values(each, series) for each in (own, given))
        differing = sorted(place for place in here.keys() | there.keys() if here.get(place) != there.get(place))
        compared = [place for place in differing if own.plan.site.traits.repeats or place[2] not in TIMED]
        if compared:
            _, size, name = place = compared[0]
            values = " and ".join(str(sorted(each.get(place, ()))) for each in (there, here))
            what = f"{name} at {size} B differs, handed in and here: {values}; {len(compared)} values differ"
            yield Finding(Flaw.HEADER, f"{series.name}: {what}")


def node_findings(given: Evidence, own: Evidence) -> Iterator[Finding]:
    """Nodes whose names, but for their numbers, no node of the grader's own trials has."""
    there, here = (_nodes(each) for each in (given, own))
    if strange := sorted(there.keys() - here.keys()):
        yield Finding(Flaw.STATE, f"it names nodes that are none of this cluster's, such as {there[strange[0]]!r:.80}")


def _nodes(evidence: Evidence) -> dict[str, str]:
    """The nodes by their names without numbers."""
    named = (node for facts in evidence.facts.values() for node in facts.moment.nodes)
    return {re.sub(r"\d+", "", node): node for node in named}


def _values(evidence: Evidence, series: Series) -> dict[tuple[str, int, str], frozenset[int]]:
    """Every printed value by point, size and name."""
    return {
        (str(dict(each.point)), size, name): values
        for each in effective(evidence, series)
        for size, named in each.by_size.items()
        for name, values in named.items()
    }


def _is_strange(text: str) -> bool:
    return len(text) > LONGEST_LINE or not text.isprintable() or bool(_DIGITS.search(text))


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
