"""`lab submit`: pack records, programs and texts into the PDF."""

import re
import subprocess
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.causes.table import file_of
from lab.errors import LabError, tell
from lab.experiment.experiment import Experiment
from lab.files.bounded import read_typed
from lab.files.storage import write_bytes
from lab.files.store import is_current, sha256_of
from lab.places import REFERENCE, ROOT, SUBMISSIONS, exact_version, from_here
from lab.plan.builds import kept_binary, source_files
from lab.plan.plan import Plan, SiteFacts, canonical
from lab.plan.planning import open_campaign
from lab.programs.program import Build, Program
from lab.records.record import record_folder
from lab.records.reference import read_identity
from lab.report.commands import report_file, report_texts
from lab.report.evidence.evidence import are_counted_here, gather, require_all
from lab.report.pdf import attach, extract
from lab.report.query.numbers import Numbers
from lab.report.sources import ids_in, read_people
from lab.report.stamp import report_stamp
from lab.report.text.check import Writing, check
from lab.report.text.macros import length_of
from lab.sites.site import open_site
from lab.submission.archive import PAGE, PROGRAMS, RECORDS, make_page, pack
from lab.submission.assignment import Assignment, find_assignment, load_assignment
from lab.submission.discussion import count, handed_out, shortfalls, unmet

LETTERS = 16  # of a digest: the fewest that an assignment may name, and the shown ones
SHOWN_PARTS, SHOWN = 5, 40  # parts in which two identities differ, and letters of each name


@dataclass(frozen=True)
class Identity:
    """Everything that determines results besides their trials, without a student's programs, which are under test."""

    site: SiteFacts
    programs: dict[str, str]  # name -> sha256

    @property
    def digest(self) -> str:
        return sha256_of(canonical(self).encode())

    @property
    def words(self) -> str:
        """Such as `exact 3f9a1c02b7de4455`."""
        return f"{self.site.name:.{SHOWN}} {self.digest[:LETTERS]}"

    def differing(self, other: "Identity") -> str:
        """The names of the first parts that the two do not share."""
        ours, theirs = self._parts(), other._parts()
        names = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
        more = [f"{len(names) - SHOWN_PARTS} more"] if len(names) > SHOWN_PARTS else []
        return ", ".join([*(name[:SHOWN] for name in names[:SHOWN_PARTS]), *more])

    def _parts(self) -> dict[str, str]:
        site = self.site
        whole = {"site": site.name, "ends": canonical(site.ends), "traits": canonical(site.traits)}
        return site.identity | self.programs | whole


def identity_of(plan: Plan) -> Identity:
    programs: dict[str, str] = {}
    for planned in plan.planned:
        if not planned.series.tool.by_student:
            programs |= planned.trial.programs
    return Identity(plan.site, programs)


BINARIES, SOURCES = "binaries", "sources"


def student_programs(experiment: Experiment) -> tuple[Program, ...]:
    return tuple(series.tool for series in experiment.series if series.tool.by_student)


def student_builds(experiment: Experiment) -> tuple[Build, ...]:
    return tuple(dict.fromkeys(tool.build for tool in student_programs(experiment) if tool.build))


def folders(experiment: Experiment) -> dict[Path, str]:
    """The names of program folders in a submission: each is the first program's, since two folders of one name may
    hold files of the same names."""
    return {tool.build.folder: tool.name for tool in reversed(student_programs(experiment)) if tool.build}


def binary_names(experiment: Experiment) -> dict[Path, str]:
    names = folders(experiment)
    return {
        file: f"{BINARIES}/{names[tool.build.folder]}/{file.relative_to(tool.build.folder)}"
        for tool in student_programs(experiment)
        for file in tool.binaries
        if tool.build
    }


def is_source(name: str, experiment: Experiment) -> bool:
    """Whether the `sources` patterns of a build include a name in a submission."""
    names = folders(experiment)
    starts = {build: f"{SOURCES}/{names[build.folder]}/" for build in student_builds(experiment)}
    return any(name.startswith(start) and build.is_source(name.removeprefix(start)) for build, start in starts.items())


def program_files(plan: Plan) -> dict[str, bytes]:
    digests = plan.digests
    binaries = {
        name: kept_binary(file.name, digests[file]).read_bytes()
        for file, name in binary_names(plan.experiment).items()
        if file in digests
    }
    names = folders(plan.experiment)
    sources = {
        f"{SOURCES}/{names[build.folder]}/{name}": content
        for build in student_builds(plan.experiment)
        for name, content in source_files(build)
    }
    return binaries | sources


BUILD_DEADLINE_S = 60
NO_OBSTACLE = "made as a draft"  # of a draft that could be handed in
PLACEHOLDER = re.compile(r"First Author|Second Author|0000\d\d")  # of the starter report.toml


@dataclass(frozen=True)
class Work:
    assignment: Assignment
    plan: Plan
    results: Path
    report: Path
    texts: tuple[Path, ...]

    @property
    def folder(self) -> Path:
        return self.plan.experiment.file.with_suffix("")


def obstacles(work: Work) -> Iterator[str]:
    """The reasons why this cannot be handed in yet. Missing records are an error: the report may be older."""
    require_all(work.plan, work.results, work.assignment.step_names)
    people = read_people(work.folder / "report.toml")
    where = f"{work.folder.name}/report.toml"
    if not ids_of(work):
        yield f"{where} names no ids: they state whose submission it is"
    for typed in filter(PLACEHOLDER.fullmatch, (*people.authors, *people.ids, people.course)):
        yield f'{where} still has the placeholder "{typed}": replace it'
    yield from discussion_obstacles(work)
    if are_counted_here(work.plan, work.results):
        file = file_of(work.plan.experiment.name, work.results)
        yield f"the report shows counts of {from_here(file)}, which no grader has: remove that file, then make report"
    if not is_current(work.report, report_stamp(work.plan, work.results, work.texts)):
        yield f"{work.report.name} is stale: records, texts or code have changed since it was made (try: make report)"


def discussion_obstacles(work: Work) -> Iterator[str]:
    """The demands of the assignment that the discussion does not meet, without those about a failed step."""
    file, assignment = work.folder / "discussion.tex", work.assignment
    name = f"{work.folder.name}/{file.name}"
    text = read_typed(file) if file.exists() else ""
    if not length_of(text)[0]:
        yield f"{name} is not written"
        return
    numbers = Numbers(gather(work.plan, work.results))
    counted = count(check(Writing(name, text), numbers), numbers, handed_out(assignment, starter=False, solution=True))
    failed = {*numbers.evidence.plan.experiment.failed}
    asks = filter(None, (unmet(ask, counted) for ask in assignment.asks if failed.isdisjoint(ask.about)))
    yield from (f"{name}: {line}" for line in (*shortfalls(assignment, counted), *asks))


def other_identity(assignment: Assignment, plan: Plan, reference: dict[str, str]) -> Iterator[str]:
    """A warning for a student whose machine or programs differ from the reference's, which lacks programs that only an
    assignment measures. On a wall clock only the grader can judge this."""
    identity = identity_of(plan)
    known = {name: digest for name, digest in identity.programs.items() if name in reference}
    is_reference = (identity.site.identity | known).items() <= reference.items()
    if reference and plan.site.traits.is_deterministic and not assignment.accepts(identity.digest, here=is_reference):
        what = f"measured on {identity.words}, which the assignment does not accept"
        yield f"{what}: no points for rerun without a person (lab doctor prints the differences)"


def build_obstacles(folder: Path = ROOT / "code" / "bench") -> Iterator[str]:
    """A reason if the C programs are older than their sources."""
    command = ["make", "--question", "-C", str(folder), "all"]
    done = subprocess.run(command, capture_output=True, timeout=BUILD_DEADLINE_S, check=False)
    if done.returncode:
        yield "the programs are not built from their sources as they are now (try: make build)"


def hand_in(work: Work, folder: Path, draft: tuple[str, ...]) -> Path:
    """Write the submission. It replaces an older one of the same ids for the same assignment."""
    require_all(work.plan, work.results, work.assignment.step_names)
    if not work.report.exists():
        raise LabError(f"there is nothing to hand in:\n  {work.report} is missing: make report")
    ids = ids_of(work)
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", "-".join(ids)).strip("_-")[:80] or "nobody"
    file = folder / f"{name}.{work.assignment.name}{'.draft' if draft else ''}.pdf"
    write_bytes(file, make_hand_in(work, ids, draft))
    return file


def make_hand_in(work: Work, ids: tuple[str, ...], draft: tuple[str, ...]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="lab-hand-in-") as name:
        inside = {file.name: file.read_bytes() for file in extract(work.report, Path(name))}
    more = {RECORDS: pack_records(work.plan, work.results)}
    if programs := program_files(work.plan):
        more[PROGRAMS] = pack(programs)
    page = make_page(work.assignment.name, ids, draft, exact_version(), inside | more)
    return attach(work.report.read_bytes(), more | {PAGE: page.text().encode()})


def pack_records(plan: Plan, results: Path) -> bytes:
    folders = ((key, record_folder(results, key)) for key in plan.trials())
    files = ((key, file) for key, folder in folders if folder.is_dir() for file in folder.iterdir())
    return pack({f"{key}/{file.name}": file.read_bytes() for key, file in files})


def ids_of(work: Work) -> tuple[str, ...]:
    """The ids in report.toml, once all of it has been checked."""
    file = work.folder / "report.toml"
    read_people(file)
    return ids_in(read_typed(file), file) if file.exists() else ()


def submit(options: Namespace) -> int:
    """Write the report and its records as one file to hand in; with obstacles, only a draft."""
    file = submitted(options.assignment, options.results, options.out, draft=options.draft)
    print(f"{from_here(file)}: {'a draft, not for handing in' if options.draft else 'hand in this file'}")
    return 0


def submitted(named: str | None, results: Path, folder: Path = SUBMISSIONS, *, draft: bool) -> Path:
    assignment = load_assignment(find_assignment(named))
    campaign = open_campaign([assignment.experiment_file], open_site(assignment.site), tell)
    (plan,) = campaign.plans
    tell(*other_identity(assignment, plan, read_identity(REFERENCE) or {}))
    work = Work(assignment, plan, results, report_file(plan), tuple(report_texts(plan)))
    compiled_here = () if campaign.site.boots_image else build_obstacles()  # else by the bundled compiler
    reasons = (*compiled_here, *obstacles(work))
    if reasons and not draft:
        raise LabError("\n  ".join(("this is not handed in:", *reasons, "or mark it as a draft: --draft")))
    return hand_in(work, folder, reasons or ((NO_OBSTACLE,) if draft else ()))
