"""A submission's report, programs and records, rebuilt from their sources."""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from lab.causes.table import files_of
from lab.compiler.build import build_shut_in
from lab.errors import OpeningFault
from lab.experiment.experiment import Experiment
from lab.files.storage import write_bytes
from lab.files.store import SUMS, digest_files, is_current, keep_stamp
from lab.files.toml import read_whole
from lab.grade.consistency import require_plain
from lab.places import PUBLISHED
from lab.plan.builds import keep_binaries, source_files
from lab.plan.plan import Plan, Planned, SiteFacts, canonical, make_plan, make_trial
from lab.programs.program import Build
from lab.records.record import CLIENT_LOG, RECORD, SAMPLES, SERVER_LOG, record_folder
from lab.report.build import build
from lab.report.evidence.evidence import Evidence
from lab.report.pdf import attach, run_qpdf
from lab.report.sources import Sources
from lab.report.stamp import digest_code
from lab.submission.archive import PROGRAMS, SubmissionError, unpack
from lab.submission.hand_in import SOURCES, binary_names, folders, own_builds, own_programs

TIMES = 2  # the messages of a lengthened trial


def keep_programs(content: bytes, experiment: Experiment, folder: Path) -> dict[Path, str]:
    """The digests of the handed-in binaries, by the path that the experiment names."""
    files = unpack(content, PROGRAMS)
    digests: dict[Path, str] = {}
    for binary, name in sorted(binary_names(experiment).items()):
        if name not in files:
            raise SubmissionError(f"{name} is missing", PROGRAMS, fault=OpeningFault.NO_DATA)
        digests[binary] = _keep(folder / name, files[name])
    return digests


def build_programs(content: bytes, experiment: Experiment, folder: Path) -> dict[Path, str]:
    """The digests of binaries built from the sources, beside the course's files that a student may not change."""
    files, places, digests = unpack(content, PROGRAMS), binary_names(experiment), {}
    for each in own_builds(experiment):
        made = {file for tool in own_programs(experiment) if tool.build == each for file in tool.binaries}
        names = {str(file.relative_to(each.folder)): file for file in sorted(made)}
        sources = _program_sources(files, each, folders(experiment)[each.folder])
        for name, program in build_shut_in(sources, each.command, names, _tell).items():
            digests[names[name]] = _keep(folder / places[names[name]], program)
    return digests


def with_programs(plan: Plan, digests: dict[Path, str]) -> Plan:
    """The plan of the same trials with other programs in place of these."""
    programs: dict[Path, str] = {}
    for planned in plan.planned:
        programs |= planned.digests
    return make_plan(plan.experiment, plan.site, programs | digests)


def firsts(plan: Plan) -> list[Planned]:
    """The first repetition of each series of a student's own program."""
    return [each for each in plan.planned if each.series.tool.build and each.repetition == 1]


def lengthened(planned: Planned, facts: SiteFacts) -> Planned:
    """The same trial with more messages: what does not grow with them drops out of the difference."""
    counts = tuple(replace(each, iterations=TIMES * each.iterations) for each in planned.trial.request.counts)
    request = replace(planned.trial.request, counts=counts)
    trial = make_trial(planned.series, request, planned.repetition, facts, planned.digests)
    return replace(planned, trial=trial)


def _program_sources(files: Mapping[str, bytes], build: Build, folder: str) -> dict[str, bytes]:
    """The files to build: the whitelist tells a student's file from the course's."""
    theirs = Build(build.command, build.folder)
    course = {name: content for name, content in source_files(theirs) if not build.is_source(name)}
    start = f"{SOURCES}/{folder}/"
    handed_in = {path.removeprefix(start): content for path, content in files.items() if path.startswith(start)}
    return course | {name: content for name, content in handed_in.items() if build.is_source(name)}


def _keep(copy: Path, content: bytes) -> str:
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(content)
    return keep_binaries([copy])[copy]


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


FILES = (RECORD, SAMPLES, SERVER_LOG, CLIENT_LOG, SUMS)
LARGEST_SAMPLES = 50 * 2**20
MORE_ROWS = 20_000  # of a size, than twice its messages: windows, rounds, the lines about a program
_PATH = re.compile(rf"([0-9a-f]{{64}})/({'|'.join(map(re.escape, FILES))})", re.ASCII)
_GZIP = 31  # zlib's code for a gzip header


def most_rows(plan: Plan) -> int:
    """The most samples that a record of this plan can hold."""
    rows = [sum(2 * each.iterations + MORE_ROWS for each in one.trial.request.counts) for one in plan.planned]
    return max(rows, default=0)


def unpack_records(content: bytes, results: Path, rows: int) -> frozenset[str]:
    """Write the files of records, none with more rows of samples; the keys of whole records."""
    files: dict[str, set[str]] = {}
    for path, data in unpack(content, "records.zip").items():
        found = _PATH.fullmatch(path)
        if found is None:
            raise SubmissionError(f"{path!r} is no file of a record", "records.zip", fault=OpeningFault.NAME)
        key, name = found.groups()
        if name == SAMPLES:
            require_bounded(data, path, rows)
        elif name == RECORD:
            require_plain(data, path)
        folder = record_folder(results, key)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        files.setdefault(key, set()).add(name)
    return frozenset(key for key, names in files.items() if names == set(FILES))


def require_bounded(content: bytes, path: str, rows: int) -> None:
    """Refuse samples that unpack to too much, since their readers unpack them whole."""
    unpacking = zlib.decompressobj(_GZIP)
    try:
        unpacked = unpacking.decompress(content, LARGEST_SAMPLES + 1)
    except zlib.error as error:
        raise SubmissionError(f"{path} cannot be unpacked: {error}", "records.zip") from error
    if len(unpacked) > LARGEST_SAMPLES or unpacked.count(b"\n") > rows:
        what = f"{path} unpacks to more than {LARGEST_SAMPLES} bytes or {rows} rows"
        raise SubmissionError(what, "records.zip", fault=OpeningFault.TOO_LARGE)
    if not unpacking.eof or unpacking.unused_data:
        raise SubmissionError(f"{path} is not one whole gzip stream", "records.zip")


@dataclass(frozen=True)
class Texts:
    """The student's texts."""

    people: bytes
    discussion: bytes
    references: bytes | None = None  # where there is such a file
    own: Mapping[str, bytes] = field(default_factory=dict)  # the data of figures of their own


def rebuild(evidence: Evidence, texts: Texts, templates: Path, cache: Path, scratch: Path) -> bytes:
    """The PDF as `lab report` makes it, with its checks of texts and its sandbox of LaTeX."""
    made_of = _digest(evidence, texts, templates)
    kept = cache / "rebuilt" / f"{made_of}.pdf"
    if not is_current(kept, made_of):
        write_bytes(kept, build(_sources(evidence, texts, templates, scratch), evidence, cache))
        keep_stamp(kept, made_of)
    return kept.read_bytes()


def with_files(pdf: bytes, made: Mapping[str, bytes], given: Mapping[str, bytes], more: Iterable[str]) -> bytes:
    """The PDF with the given files in place of the made ones, then with more of them, as `make submit` adds these."""
    with tempfile.TemporaryDirectory(prefix="lab-pages-") as name:
        Path(name, "report.pdf").write_bytes(pdf)
        removed = [f"--remove-attachment={file}" for file in made]
        run_qpdf(["qpdf", "--deterministic-id", "report.pdf", *removed, "pages.pdf"], Path(name))
        pages = Path(name, "pages.pdf").read_bytes()
    report = attach(pages, {file: given.get(file, content) for file, content in made.items()})
    return attach(report, {file: given[file] for file in more if file in given})


def _sources(evidence: Evidence, texts: Texts, templates: Path, scratch: Path) -> Sources:
    """A scratch copy: the grader's experiment beside the student's texts."""
    file = evidence.plan.experiment.file
    copy = scratch / "texts" / file.name
    sources = Sources(copy, templates)
    sources.folder.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(read_whole(file).text.encode())
    sources.people.write_bytes(texts.people)
    sources.discussion.write_bytes(texts.discussion)
    if texts.references is not None:
        sources.references.write_bytes(texts.references)
    for name, content in texts.own.items():
        (sources.folder / name).write_bytes(content)
    return sources


def _digest(evidence: Evidence, texts: Texts, templates: Path) -> str:
    typeset = [*sorted(templates.rglob("*.*")), *sorted(PUBLISHED.glob("*.*"))]
    counted = files_of(evidence.plan.experiment.name, evidence.results)
    digest = hashlib.sha256(f"{digest_code()} {digest_files(typeset)} {digest_files(counted)}".encode())
    for key, facts in evidence.facts.items():
        digest.update(canonical(facts.lasting()).encode())
        digest.update((record_folder(evidence.results, key) / SAMPLES).read_bytes())
    digest.update(f"{evidence.bytes_on_disk} ".encode())
    for name in sorted(texts.own):
        digest.update(f"{name} ".encode())
    for text in (texts.people, texts.discussion, texts.references, *(texts.own[name] for name in sorted(texts.own))):
        digest.update(b"none" if text is None else f"{len(text)} ".encode() + text)
    return digest.hexdigest()
