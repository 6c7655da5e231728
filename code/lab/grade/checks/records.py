"""The records are consistent by themselves, and the tables inside the PDF are made of them."""

from __future__ import annotations

from collections.abc import Iterator

from lab.grade.case import Case
from lab.grade.finding import Finding, Flaw
from lab.report.evidence.evidence import Evidence
from lab.report.pdf.attachments import attachments


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
