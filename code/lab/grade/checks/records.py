"""Checks of the records: complete, consistent, and close to the rerun."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from lab.grade.case import Blocked, Case
from lab.grade.consistency import header_findings, node_findings
from lab.grade.distribution import distribution_findings
from lab.grade.finding import Finding, Flaw, of_record
from lab.grade.remarks import another_identity
from lab.records.facts import VOLATILE
from lab.records.record import read_document, read_samples_of
from lab.report.evidence.evidence import Evidence
from lab.report.pdf import attachments
from lab.typed_json import JsonValue


def records(case: Case) -> Iterator[Finding]:
    """Each record, then the tables made of them."""
    if case.site.name != case.setup.assignment.recorded_as:
        yield Finding(
            Flaw.SITE,
            f"it was measured on {case.site.name}, the assignment asks for {case.setup.assignment.recorded_as}",
        )
    yield from case.record_findings
    if not case.record_findings or case.repeats_exactly:
        yield from _made_of(case, case.basis)


def _made_of(case: Case, evidence: Evidence) -> Iterator[Finding]:
    name = f"{evidence.plan.experiment.name}.csv"
    kinds = {name: Flaw.TABLE, "manifest.json": Flaw.MANIFEST, "identity.json": Flaw.IDENTITY}
    made = attachments(evidence, {})
    for file, kind in kinds.items():
        given = case.submission.files.get(file, b"")
        if given != made[file]:
            yield Finding(kind, f"{file} is not made of the records: {_first_difference(given, made[file])}")


def _first_difference(given: bytes, made: bytes) -> str:
    ours, theirs = made.decode().splitlines(), given.decode(errors="replace").splitlines()
    for number, (one, other) in enumerate(zip(theirs, ours, strict=False), 1):
        if one != other:
            return f"line {number} is {one[:120]!r}, the records give {other[:120]!r}"
    return f"{len(theirs)} lines, the records give {len(ours)}"


APART = (*VOLATILE, "lab")
KINDS = {
    "counters_before": Flaw.COUNTER,
    "counters_after": Flaw.COUNTER,
    "clock_start_ns": Flaw.CLOCK,
    "clock_end_ns": Flaw.CLOCK,
    "steps": Flaw.CLOCK,
    "link": Flaw.OTHER_LINK,
    "ends": Flaw.OTHER_LINK,
    "header": Flaw.HEADER,
}


def rerun(case: Case) -> Iterator[Finding]:
    """Compare the hand-in with the grader's own records; the check trusts nothing of the hand-in."""
    try:
        own = case.own
    except Blocked as error:
        yield Finding(Flaw.NOT_MEASURED, str(error))
        return
    if not case.is_accepted:
        yield Finding(Flaw.OTHER_IDENTITY, another_identity(case))
    if case.repeats_exactly:
        yield from _equal(case, own)
    else:
        yield from _alike(case, own)


def _equal(case: Case, own: Evidence) -> Iterator[Finding]:
    for key in sorted(own.facts.keys() - case.records):
        yield of_record(Flaw.MISSING_RECORD, key, "measured here, but not handed in")
    for key in sorted(case.records & own.facts.keys()):
        given, ours = read_document(case.folder / "results", key), own.facts[key].table()
        for name in sorted((given.keys() | ours.keys()) - set(APART)):
            if given.get(name) != ours.get(name):
                values = " and ".join(_short(each.get(name)) for each in (given, ours))
                yield of_record(KINDS.get(name, Flaw.RECORD), key, f"{name} differs, handed in and here: {values}")
        yield from _samples(key, case.folder / "results", own.results)


def _samples(key: str, handed_in: Path, here: Path) -> Iterator[Finding]:
    given, ours = (read_samples_of(folder, key) for folder in (handed_in, here))
    differing = [pair for pair in zip(given, ours, strict=False) if pair[0] != pair[1]]
    if differing:
        one, other = differing[0]
        yield of_record(Flaw.SAMPLE, key, f"{len(differing)} samples differ, first {one} and here {other}")
    elif len(given) != len(ours):
        yield of_record(Flaw.SAMPLE, key, f"{len(given)} samples, here {len(ours)}")


def _alike(case: Case, own: Evidence) -> Iterator[Finding]:
    """Other programs, another machine or a wall clock: nothing is equal to the last digit."""
    try:
        given = case.handed_in
    except Blocked as error:
        yield Finding(Flaw.BLOCKED, str(error))
        return
    yield from distribution_findings(given.rows, own.rows, own.plan.site.traits)
    yield from node_findings(given, own)
    if own.plan.site.traits.repeats or case.identity == case.own_identity:
        yield from header_findings(given, own)  # other hardware may grant other values


def _short(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)[:80]
