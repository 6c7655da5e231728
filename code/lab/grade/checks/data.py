"""Checks of the data: the files of the package, the records, and the same trials measured again."""

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from lab.errors import SpecError
from lab.files.toml import read_whole
from lab.grade.case import Blocked, Case
from lab.grade.consistency import header_findings, node_findings
from lab.grade.distribution import distribution_findings
from lab.grade.finding import Finding, Flaw, of_record
from lab.records.facts import VOLATILE
from lab.records.record import read_document, read_samples_of
from lab.report.pdf import attachments
from lab.report.sources import ids_in
from lab.report.text.references import FILE as REFERENCES
from lab.submission.archive import FORMAT, PAGE, PROGRAMS, RECORDS, about, chain, digests, unpack
from lab.submission.hand_in import binary_names, is_source, student_programs

LONGEST_ID = 100
TYPED = ("discussion.tex", "report.toml")
NOT_COMPARED = (*VOLATILE, "lab", "options")  # may differ in another measurement; the check `records` has the options
FLAWS = {
    "counters_before": Flaw.COUNTER,
    "counters_after": Flaw.COUNTER,
    "clock_start_ns": Flaw.CLOCK,
    "clock_end_ns": Flaw.CLOCK,
    "steps": Flaw.CLOCK,
    "link": Flaw.OTHER_LINK,
    "ends": Flaw.OTHER_LINK,
    "header": Flaw.HEADER,
}


def package(case: Case) -> Iterator[Finding]:
    """Check the files, the digests, the chain, the assignment, the experiment and the people."""
    files, page, experiment = case.submission.files, case.page, case.setup.course_plan.experiment
    made = ("claims.csv", "manifest.json", "identity.json", "experiment.toml", f"{experiment.name}.csv")
    required = {PAGE, RECORDS, *made, *TYPED, *([PROGRAMS] if student_programs(experiment) else [])}
    yield from (Finding(Flaw.MISSING_FILE, f"{name} is missing") for name in sorted(required - files.keys()))
    strange = files.keys() - required - {REFERENCES, *case.figure_data}  # only some texts need these
    yield from (Finding(Flaw.STRANGE_FILE, f"{name} is not part of it") for name in sorted(strange))
    if student_programs(experiment) and PROGRAMS in files:
        names = unpack(files[PROGRAMS], PROGRAMS).keys() - set(binary_names(experiment).values())
        strange = {name for name in names if not is_source(name, experiment)}
        yield from (
            Finding(Flaw.STRANGE_FILE, f"{name} in {PROGRAMS} is not part of the programs") for name in sorted(strange)
        )
    actual = digests(files)
    for name in sorted(page.files.keys() | actual.keys()):
        if page.files.get(name) != actual.get(name):
            yield Finding(Flaw.DIGEST, f"{name} is not the file that was handed in: its digest differs")
    if page.chain != chain(page.files, about(page.assignment, page.ids, page.draft)):
        yield Finding(Flaw.CHAIN, "the chain of digests does not fit: the page was changed after it was made")
    if (page.assignment, page.format) != (case.setup.assignment.name, FORMAT):
        yield Finding(Flaw.ASSIGNMENT, f"it was made for {page.assignment!r}, format {page.format}")
    if page.draft:
        yield Finding(Flaw.DRAFT, f"it is marked as a draft: {page.draft[0]}")
    handed_in = files.get("experiment.toml", b"").decode(errors="replace").splitlines()
    assigned = read_whole(experiment.file).text.splitlines()
    if handed_in != assigned:
        pairs = enumerate(zip_longest(handed_in, assigned), 1)
        line = next(number for number, (theirs, ours) in pairs if theirs != ours)
        yield Finding(Flaw.EXPERIMENT, f"experiment.toml is not the assignment's: line {line} differs")
    yield from _person(case)


def _person(case: Case) -> Iterator[Finding]:
    """Check that the ids are those on the first page."""
    try:
        ids = ids_in(case.file("report.toml").decode(), Path("report.toml"))
    except (SpecError, UnicodeDecodeError) as error:
        yield Finding(Flaw.PERSON, f"report.toml cannot be read: {error}")
        return
    for name in ids:
        if not name.isprintable() or len(name) > LONGEST_ID:
            yield Finding(Flaw.PERSON, f"an id must be one line of text: {name!r:.100}")
    if case.page.ids != ids:
        yield Finding(Flaw.PERSON, f"it is handed in by {', '.join(case.page.ids)}, but its report is by {ids!r:.100}")


def records(case: Case) -> Iterator[Finding]:
    """Check each record, then the tables made of them."""
    recorded_as = case.setup.assignment.recorded_as
    if case.claimed_site.name != recorded_as:
        yield Finding(Flaw.SITE, f"it was measured on {case.claimed_site.name}, the assignment requires {recorded_as}")
    yield from case.record_findings
    if case.record_findings and not case.repeats_exactly:
        return
    made = attachments(case.basis, {})
    table = f"{case.basis.plan.experiment.name}.csv"
    for file, kind in {table: Flaw.TABLE, "manifest.json": Flaw.MANIFEST, "identity.json": Flaw.IDENTITY}.items():
        handed_in = case.submission.files.get(file, b"")
        if handed_in != made[file]:
            difference = _first_difference(handed_in, made[file])
            yield Finding(kind, f"{file} is not made of the records: {difference}")


def _first_difference(handed_in: bytes, made: bytes) -> str:
    theirs, ours = handed_in.decode(errors="replace").splitlines(), made.decode().splitlines()
    for number, (line, made_line) in enumerate(zip(theirs, ours, strict=False), 1):
        if line != made_line:
            return f"line {number} is {line[:120]!r}, the records give {made_line[:120]!r}"
    return f"{len(theirs)} lines, the records give {len(ours)}"


def rerun(case: Case) -> Iterator[Finding]:
    """Compare the submission with the grader's records; nothing in the submission is trusted."""
    try:
        _ = case.grader_evidence
    except Blocked as error:
        yield Finding(Flaw.NOT_MEASURED, str(error))
        return
    if not case.is_accepted:
        yield Finding(Flaw.OTHER_IDENTITY, case.identity_flag)
    yield from _equal(case) if case.repeats_exactly else _similar(case)


def _equal(case: Case) -> Iterator[Finding]:
    """The same identity on a site that repeats exactly: every fact and sample is equal."""
    grader = case.grader_evidence
    for key in sorted(grader.facts.keys() - case.records):
        yield of_record(Flaw.MISSING_RECORD, key, "measured here, but not handed in")
    for key in sorted(case.records & grader.facts.keys()):
        theirs, ours = read_document(case.results, key), grader.facts[key].table()
        for name in sorted((theirs.keys() | ours.keys()) - set(NOT_COMPARED)):
            if theirs.get(name) != ours.get(name):
                values = " and ".join(json.dumps(table.get(name), sort_keys=True)[:80] for table in (theirs, ours))
                yield of_record(FLAWS.get(name, Flaw.RECORD), key, f"{name} differs, handed in and here: {values}")
        samples, here = (read_samples_of(folder, key) for folder in (case.results, grader.results))
        differing = [pair for pair in zip(samples, here, strict=False) if pair[0] != pair[1]]
        if differing:
            what = f"{len(differing)} samples differ, first {differing[0][0]} and here {differing[0][1]}"
            yield of_record(Flaw.SAMPLE, key, what)
        elif len(samples) != len(here):
            yield of_record(Flaw.SAMPLE, key, f"{len(samples)} samples, here {len(here)}")


def _similar(case: Case) -> Iterator[Finding]:
    """Other programs, another machine or a wall clock: the distributions are alike."""
    grader = case.grader_evidence
    try:
        claimed = case.claimed_evidence
    except Blocked as error:
        yield Finding(Flaw.BLOCKED, str(error))
        return
    traits = grader.plan.site.traits
    yield from distribution_findings(claimed.rows, grader.rows, traits)
    yield from node_findings(claimed, grader)
    if traits.repeats or case.has_grader_identity:
        yield from header_findings(claimed, grader)  # other hardware may grant other values
