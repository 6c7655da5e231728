"""Whether a record agrees with itself, with its plan, and with the machine that it names."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace

from lab.errors import OpeningFault, ParseError, plural
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
from lab.run.measure import assess, record_facts
from lab.submission.archive import SubmissionError
from lab.typed_json import MOST_DIGITS, JsonError, JsonTable

LARGEST = 2**20
MOST_LINES, LONGEST_LINE, MOST_HEADER_DIGITS = 1000, 20_000, 19  # of a header; Verbyte's programs print less
MOST_NODES = 64
IMPOSSIBLE = "holds a number that nothing measures"
# Values of a header that depend on the speed of the computer, on a wall clock.
TIMED = frozenset({"iterations", "warmup", "operations"})
# A plan cannot foretell the version of Verbyte, the programs' choices and the checks.
UNPLANNED = (*VOLATILE, "lab", "header", "checks")
# The kind of a fault by the field of a record; of other fields, `record`.
FLAWS = {
    **dict.fromkeys(("link", "ends", "path"), Flaw.OTHER_LINK),
    **dict.fromkeys(("identity", "traits", "programs"), Flaw.IDENTITY),
    **dict.fromkeys(("counters_before", "counters_after"), Flaw.COUNTER),
    **dict.fromkeys(("clock_start_ns", "clock_end_ns"), Flaw.CLOCK),
    **{"counts": Flaw.ROWS, "header": Flaw.HEADER},
}
_VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}(?:\.?(?:dev|a|b|rc)\d{1,4})?(?:\+[0-9a-f]{1,40})?", re.ASCII)
_NODE = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?", re.ASCII | re.IGNORECASE)
_DIGITS = re.compile(rf"\d{{{MOST_HEADER_DIGITS + 1}}}")


def require_plain(content: bytes, where: str) -> None:
    """Refuse JSON that is too long or too deep, or has impossible numbers. Other text is left to its reader."""
    if len(content) > LARGEST:
        raise SubmissionError(f"has more than {LARGEST} bytes", where, fault=OpeningFault.TOO_LARGE)

    def counted(text: str) -> int:
        if len(text.lstrip("-")) > MOST_DIGITS:
            raise SubmissionError(f"{IMPOSSIBLE}: {text[:MOST_DIGITS]}... with {len(text)} digits", where)
        return int(text)

    def finite(text: str) -> float:
        if not math.isfinite(value := float(text)):
            raise SubmissionError(f"{IMPOSSIBLE}: {text[:MOST_DIGITS]}", where)
        return value

    try:
        json.loads(content, parse_int=counted, parse_float=finite, parse_constant=finite)
    except RecursionError as error:
        what = "is nested more deeply than anything that Verbyte writes"
        raise SubmissionError(what, where, fault=OpeningFault.TOO_LARGE) from error
    except ValueError:
        return


def record_findings(
    planned: Planned, site: SiteFacts, record: JsonTable, samples: tuple[Sample, ...]
) -> Iterator[Finding]:
    try:
        facts = parse_facts(record)
    except JsonError as error:
        yield Finding(Flaw.RECORD, error.what)
        return
    yield from text_findings(facts)
    outcome = _outcome_of(facts.measured)
    plan = replace(
        record_facts(planned, site, outcome),
        assessment=assess(planned, site, outcome, samples, facts.measured.header or {}),
    )
    # Experiments that differ in parameters which the program does not use share the trial, and so the record.
    names = planned.series.tool.parameters
    options = [{name: each.asked.options.get(name) for name in names} for each in (facts, plan)]
    record, expected = {**record, "options": options[0]}, {**plan.table(), "options": options[1]}
    for name in sorted((expected.keys() | record.keys()) - set(UNPLANNED)):
        if record.get(name) != expected.get(name):
            recorded, foretold = (json.dumps(table.get(name))[:100] for table in (record, expected))
            yield Finding(FLAWS.get(name, Flaw.RECORD), f"{name} is {recorded}, planned was {foretold}")
    yield from (Finding(Flaw.STATUS, what) for what in failed_steps(outcome))
    yield from _rows(planned, samples)
    for name, before in outcome.counters_before.items():
        if outcome.counters_after.get(name, 0) < before:
            yield Finding(Flaw.COUNTER, f"{name} went down from {before} to {outcome.counters_after.get(name, 0)}")
    yield from (Finding(Flaw.COUNTER, what) for what in uncounted_bytes(planned, site.ends, outcome, samples))
    steps = [clock for step in outcome.steps for clock in (step.clock_start_ns, step.clock_end_ns)]
    clocks = [outcome.clock_start_ns, *steps, outcome.clock_end_ns]
    if clocks != sorted(clocks):
        yield Finding(Flaw.CLOCK, "the clock went back between the steps")
    yield from (Finding(Flaw.CLOCK, what) for what in untimed_ns(outcome, samples))
    yield from (Finding(Flaw.CLOCK, what) for what in above_the_link(planned, site, outcome, samples))


def text_findings(facts: Facts) -> Iterator[Finding]:
    """The faults of the texts in one record: the version, the checks, the header and the nodes."""
    if not _VERSION.fullmatch(facts.assessment.lab):
        yield Finding(Flaw.RECORD, f"lab is not a version: {facts.assessment.lab!r:.60}")
    if set(facts.assessment.checks or ()) != set(CHECKS):
        yield Finding(Flaw.RECORD, "it does not list all checks as passed, and no others")
    header = facts.measured.header or {}
    texts = [text for line in header.items() for text in line]
    is_printed = all(len(text) <= LONGEST_LINE and text.isprintable() and not _DIGITS.search(text) for text in texts)
    if len(header) > MOST_LINES or not is_printed:
        yield Finding(Flaw.HEADER, "its header is not the output of a program: too long, or unprintable")
    if len(facts.moment.nodes) > MOST_NODES or not all(map(_NODE.fullmatch, facts.moment.nodes)):
        yield Finding(Flaw.STATE, f"its nodes are not host names: {facts.moment.nodes!r:.80}")


def _outcome_of(measured: Measured) -> Outcome:
    steps = tuple(
        StepOutcome("", "", "", "", step.client_status, step.server_status, step.clock_start_ns, step.clock_end_ns)
        for step in measured.steps
    )
    counters = (measured.counters_before, measured.counters_after)
    return Outcome(steps, *counters, measured.clock_start_ns, measured.clock_end_ns, console="", host_seconds=0.0)


def _rows(planned: Planned, samples: tuple[Sample, ...]) -> Iterator[Finding]:
    request, tool = planned.trial.request, planned.series.tool
    if tool.prints_samples:
        try:
            read_samples(write_samples(samples), request, by_lab=tool.build is None)
        except ParseError as error:
            yield Finding(Flaw.ROWS, error.what)
        return
    planned_sizes, sizes = {count.size for count in request.counts}, {sample.size_bytes for sample in samples}
    may_lose = tool.build and not tool.silent  # a student's program may have lost some sizes
    if not (sizes and sizes <= planned_sizes if may_lose else sizes == (set() if tool.silent else planned_sizes)):
        yield Finding(Flaw.ROWS, "the samples are not of the planned sizes")
    elif impossible := next((item for item in samples if item.time_ns <= 0 or item.bytes <= 0 < item.size_bytes), None):
        yield Finding(Flaw.ROWS, f"an impossible sample: {impossible}")


def header_findings(claimed: Evidence, grader: Evidence) -> Iterator[Finding]:
    """The values in headers that differ from those that the same programs print here."""
    for series in grader.plan.experiment.series:
        here, there = (_printed_values(evidence, series) for evidence in (grader, claimed))
        differing = sorted(key for key in here.keys() | there.keys() if here.get(key) != there.get(key))
        compared = [key for key in differing if grader.plan.site.traits.is_deterministic or key[2] not in TIMED]
        if compared:
            _, size, name = key = compared[0]
            values = " and ".join(str(sorted(side.get(key, ()))) for side in (there, here))
            what = f"{series.name}: {name} at {size} B differs, handed in and here: {values}"
            yield Finding(Flaw.HEADER, f"{what}; {plural(len(compared), 'different value')}")


def _printed_values(evidence: Evidence, series: Series) -> dict[tuple[str, int, str], set[int]]:
    return {
        (str(dict(point)), size, name): values
        for point, by_size in effective(evidence, series)
        for size, by_name in by_size.items()
        for name, values in by_name.items()
    }


def node_findings(claimed: Evidence, grader: Evidence) -> Iterator[Finding]:
    """Nodes whose names, but for their numbers, no node of the grader's trials has."""
    there, here = (_nodes(evidence) for evidence in (claimed, grader))
    if strange := sorted(there.keys() - here.keys()):
        yield Finding(Flaw.STATE, f"it names nodes that this cluster does not have, such as {there[strange[0]]!r:.80}")


def _nodes(evidence: Evidence) -> dict[str, str]:
    names = (node for facts in evidence.facts.values() for node in facts.moment.nodes)
    return {re.sub(r"\d+", "", node): node for node in names}
