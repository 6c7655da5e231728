"""Make a hand-in of a report: with the records and a page about its assignment and ids, or refuse with reasons."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.causes.table import file_of
from lab.files.stamp import is_current
from lab.files.storage import write_bytes
from lab.files.typed_text import read_typed
from lab.places import ROOT, from_here
from lab.plan.plan import Plan
from lab.records.record import record_folder
from lab.report.evidence.causes import are_counted_here
from lab.report.evidence.evidence import gather, require_all
from lab.report.pdf.attach import attach
from lab.report.pdf.extract import extract
from lab.report.prose.people import ids_in, read_people
from lab.report.query.numbers import Numbers
from lab.report.stamp import report_stamp
from lab.report.text.check import Writing, check
from lab.report.text.macros import length_of
from lab.submission.archive import SubmissionRefused, pack
from lab.submission.assignment import Assignment
from lab.submission.discussion import count, handed_out, shortfalls, unmet
from lab.submission.identity import identity_of
from lab.submission.package import PAGE, PROGRAMS, RECORDS, make_page
from lab.submission.programs import program_files
from lab.version import exact_version

BUILD_DEADLINE_S = 60
# As the experiments' own report.toml are handed out.
PLACEHOLDER = re.compile(r"First Author|Second Author|0000\d\d")


@dataclass(frozen=True)
class Work:
    """A student's work: a plan with its records, the report and its texts."""

    assignment: Assignment
    plan: Plan
    results: Path
    report: Path
    texts: tuple[Path, ...]

    @property
    def folder(self) -> Path:
        """The texts beside the experiment."""
        return self.plan.experiment.file.with_suffix("")


def obstacles(work: Work) -> Iterator[str]:
    """The reasons why this is no hand-in yet. Missing records are an error: the report may be of an older build."""
    require_all(work.plan, work.results)
    if not ids_of(work):
        yield f"{work.folder.name}/report.toml names no ids: they say whose hand-in it is"
    yield from placeholders(work)
    yield from discussion_obstacles(work)
    if are_counted_here(work.plan, work.results):
        file = file_of(work.plan.experiment.name, work.results)
        yield f"the report shows counts of {from_here(file)}, which no grader has: remove that file, then make report"
    if not is_current(work.report, report_stamp(work.plan, work.results, work.texts)):
        yield f"{work.report.name} is stale: records, texts or code have changed since it was made (try: make report)"


def placeholders(work: Work) -> Iterator[str]:
    """Names and ids that nobody has replaced."""
    people = read_people(work.folder / "report.toml")
    for typed in (*people.authors, *people.ids, people.course):
        if PLACEHOLDER.fullmatch(typed):
            yield f'{work.folder.name}/report.toml still says "{typed}": replace it by your own'


def discussion_obstacles(work: Work) -> Iterator[str]:
    """What the discussion lacks of what the assignment asks for."""
    file, assignment = work.folder / "discussion.tex", work.assignment
    name = f"{work.folder.name}/{file.name}"
    text = read_typed(file) if file.exists() else ""
    if not length_of(text)[0]:
        yield f"{name} is not written"
        return
    numbers = Numbers(gather(work.plan, work.results))
    counted = count(check(Writing(name, text), numbers), numbers, handed_out(assignment, starter=False, solution=True))
    asks = filter(None, (unmet(ask, counted) for ask in assignment.asks))
    yield from (f"{name}: {line}" for line in (*shortfalls(assignment, counted), *asks))


def other_identity(assignment: Assignment, plan: Plan, known: dict[str, str]) -> Iterator[str]:
    """A sentence for a student whose machine or programs are not those that everybody has; `known` are these. On a
    wall clock only the grader knows what is accepted."""
    identity = identity_of(plan)
    if known and plan.site.traits.repeats and not assignment.accepts(identity.digest, own=identity.is_of(known)):
        yield (
            f"measured on {identity.words}, which the assignment does not accept: no points for rerun without a person "
            "(lab doctor says what differs)"
        )


def build_obstacles(folder: Path = ROOT / "code" / "bench") -> Iterator[str]:
    """A reason if the C programs are older than their sources."""
    command = ["make", "--question", "-C", str(folder), "all"]
    done = subprocess.run(command, capture_output=True, timeout=BUILD_DEADLINE_S, check=False)
    if done.returncode:
        yield "the programs are not built from their sources as they are now (try: make build)"


def hand_in(work: Work, folder: Path, draft: tuple[str, ...]) -> Path:
    """Write the hand-in. It replaces an older one of the same ids for the same assignment."""
    require_all(work.plan, work.results)
    if not work.report.exists():
        raise SubmissionRefused("there is nothing to hand in:", reasons=(f"{work.report} is missing: make report",))
    ids = ids_of(work)
    content = make_hand_in(work, ids, draft)
    file = folder / f"{_file_name(ids)}.{work.assignment.name}{'.draft' if draft else ''}.pdf"
    write_bytes(file, content)
    return file


def make_hand_in(work: Work, ids: tuple[str, ...], draft: tuple[str, ...]) -> bytes:
    """The report's PDF with the records and the page inside."""
    with tempfile.TemporaryDirectory(prefix="lab-hand-in-") as name:
        inside = {each.name: each.read_bytes() for each in extract(work.report, Path(name))}
    more = {RECORDS: pack_records(work.plan, work.results)}
    if programs := program_files(work.plan):
        more[PROGRAMS] = pack(programs)
    page = make_page(work.assignment.name, ids, draft, exact_version(), inside | more)
    return attach(work.report.read_bytes(), more | {PAGE: page.text().encode()})


def pack_records(plan: Plan, results: Path) -> bytes:
    """Every record of the plan, whole."""
    files: dict[str, bytes] = {}
    for key in plan.trials():
        for file in record_folder(results, key).iterdir():
            files[f"{key}/{file.name}"] = file.read_bytes()
    return pack(files)


def ids_of(work: Work) -> tuple[str, ...]:
    """The ids in report.toml, once all of it has been checked."""
    file = work.folder / "report.toml"
    read_people(file)
    return ids_in(read_typed(file), file) if file.exists() else ()


def _file_name(ids: tuple[str, ...]) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", "-".join(ids)).strip("_-")[:80] or "nobody"
