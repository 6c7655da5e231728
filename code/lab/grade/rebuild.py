"""A submission's programs, records and report, unpacked and rebuilt from their sources."""

import hashlib
import re
import shlex
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from lab.causes.table import files_of
from lab.compiler.build import build_untrusted
from lab.errors import OpeningFault, tell
from lab.experiment.experiment import Experiment
from lab.files.storage import write_bytes
from lab.files.store import SUMS, digest_files, is_current, keep_stamp
from lab.files.toml import read_whole
from lab.grade.consistency import require_plain
from lab.places import PUBLISHED
from lab.plan.builds import keep_binaries, kept_binary, source_files
from lab.plan.plan import Plan, Planned, SiteFacts, canonical, make_trial
from lab.programs.program import Build
from lab.records.record import CLIENT_LOG, RECORD, SAMPLES, SERVER_LOG, record_folder
from lab.report.build import prepare
from lab.report.evidence.evidence import Evidence
from lab.report.pdf import attach, run_qpdf
from lab.report.sources import Sources
from lab.report.stamp import digest_code
from lab.submission.archive import PROGRAMS, RECORDS, SubmissionError, unpack
from lab.submission.hand_in import SOURCES, binary_names, folders, student_builds, student_programs

TIMES = 2  # the messages of a lengthened trial
RECORD_FILES = (RECORD, SAMPLES, SERVER_LOG, CLIENT_LOG, SUMS)
LARGEST_SAMPLES = 50 * 2**20
MORE_ROWS = 20_000  # of a size, besides twice its messages: windows, rounds, the lines about a program
_RECORD_PATH = re.compile(rf"([0-9a-f]{{64}})/({'|'.join(map(re.escape, RECORD_FILES))})", re.ASCII)
_GZIP = 31  # zlib's code for a gzip header


def keep_programs(content: bytes, experiment: Experiment, folder: Path) -> dict[Path, str]:
    """The digests of the submitted binaries, by the path that the experiment names."""
    files, names = unpack(content, PROGRAMS), binary_names(experiment)
    if missing := sorted(set(names.values()) - files.keys()):
        raise SubmissionError(f"{missing[0]} is missing", PROGRAMS, fault=OpeningFault.NO_DATA)
    return {binary: _keep(folder / name, files[name]) for binary, name in sorted(names.items())}


def build_programs(content: bytes, experiment: Experiment, folder: Path) -> dict[Path, str]:
    """The digests of binaries built from the student's sources and the files that no student may change."""
    files, names, digests = unpack(content, PROGRAMS), binary_names(experiment), {}
    for student_build in student_builds(experiment):
        start = f"{SOURCES}/{folders(experiment)[student_build.folder]}/"
        handed_in = {path.removeprefix(start): data for path, data in files.items() if path.startswith(start)}
        sources = _course_files(student_build)
        sources |= {name: data for name, data in handed_in.items() if student_build.is_source(name)}
        tools = [tool for tool in student_programs(experiment) if tool.build == student_build]
        binaries = sorted({file for tool in tools for file in tool.binaries})
        places = {str(file.relative_to(student_build.folder)): file for file in binaries}
        for name, program in build_untrusted(sources, student_build.command, places, tell).items():
            digests[places[name]] = _keep(folder / names[places[name]], program)
    return digests


def _course_files(student_build: Build) -> dict[str, bytes]:
    """The files of a build's folder that no student may change."""
    files = source_files(Build(student_build.command, student_build.folder))
    return {name: content for name, content in files if not student_build.is_source(name)}


# For each of the course's C files, for the program, and for a program of nothing: sections and symbols.
READ = """i=0
for file in {files}; do
	for level in 0 2; do gcc -w -O$level -c -o object.o "$file" && readelf -sW object.o; done >$i.txt || exit 1
	i=$((i + 1))
done
echo 'int main(void) {{ return 0; }}' >empty.c && gcc -o empty empty.c && readelf -SsW empty >empty.txt
readelf -SsW program >program.txt"""
_SECTION = re.compile(
    r"^ *\[ *\d+\] (\.(?:preinit_array|init_array|fini_array|init|fini|ctors|dtors)) +\S+ +\S+ +\S+ +(\S+)"
)
_SYMBOL = re.compile(r"^ *\d+: +\S+ +\S+ +(\S+) +\S+ +\S+ +(\S+) +([^@ ]+)")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
STREAMS = {"stdin", "stdout", "stderr"}  # the linker copies them into a program


def frame_faults(plan: Plan) -> Iterator[str]:
    """Code of a program that would run before the course's files, or in place of a function that they call."""
    for student_build in student_builds(plan.experiment):
        course_files = _course_files(student_build)
        if not (frame := sorted(name for name in course_files if name.endswith(".c"))):
            continue
        command = ("sh", "-c", READ.format(files=shlex.join(frame)))
        tables = [f"{number}.txt" for number in range(len(frame))]
        headers = b"\n".join(content for name, content in course_files.items() if name not in frame)
        declared = set(re.findall(r"(\w+)\(", _COMMENT.sub("", headers.decode(errors="replace"))))
        for program in _programs_of(plan, student_build):
            files = course_files | {"program": program.read_bytes()}
            texts = build_untrusted(files, command, [*tables, "empty.txt", "program.txt"], tell)
            called = _undefined(*(texts[table] for table in tables)) - declared - STREAMS
            yield from _replaced(texts["program.txt"], texts["empty.txt"], called)


def _programs_of(plan: Plan, student_build: Build) -> list[Path]:
    """The binaries of a build, as the trials of the plan run them."""
    digests = {
        file: planned.digests[file]
        for planned in student_trials(plan)
        if planned.series.tool.build == student_build
        for file in planned.series.tool.binaries
    }
    return [kept_binary(file.name, digest) for file, digest in sorted(digests.items())]


def _replaced(program: bytes, empty: bytes, called: set[str]) -> Iterator[str]:
    symbols, sections = list(_symbols(program)), dict(_sections(program))
    if not symbols:
        yield "the program has no symbols: the course's build must not strip it"
    usual = {name for _, is_defined, name in _symbols(empty) if is_defined}
    replaced = {name for _, is_defined, name in symbols if is_defined} & (called | _undefined(empty)) - usual
    replaced |= {name for kind, _, name in symbols if kind == "IFUNC"}
    yield from (f"a student's file defines {name}, which the course's code calls" for name in sorted(replaced))
    expected = dict(_sections(empty))
    for name in sorted(sections.keys() | expected.keys()):
        if sections.get(name) != expected.get(name):
            yield f"a student's file adds code to {name}, which runs before or after main()"


def _undefined(*tables: bytes) -> set[str]:
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for _, is_defined, name in (symbol for table in tables for symbol in _symbols(table)):
        names[is_defined].add(name)
    return names[False] - names[True]


def _symbols(table: bytes) -> Iterator[tuple[str, bool, str]]:
    """Kind, whether it is defined, and name of each symbol in the output of readelf."""
    for line in table.decode(errors="replace").splitlines():
        if (match := _SYMBOL.match(line)) and match[1] != "FILE":
            yield match[1], match[2] != "UND", match[3]


def _sections(table: bytes) -> Iterator[tuple[str, str]]:
    """Name and size of each section that runs before or after main()."""
    for line in table.decode(errors="replace").splitlines():
        if match := _SECTION.match(line):
            yield match[1], match[2]


def student_trials(plan: Plan) -> list[Planned]:
    return [planned for planned in plan.planned if planned.series.tool.by_student]


def firsts(plan: Plan) -> list[Planned]:
    return [planned for planned in student_trials(plan) if planned.repetition == 1]


def lengthened(planned: Planned, facts: SiteFacts) -> Planned:
    """The same trial with more messages: in the difference of the two, only the time of messages is left."""
    counts = tuple(replace(count, iterations=TIMES * count.iterations) for count in planned.trial.request.counts)
    request = replace(planned.trial.request, counts=counts)
    trial = make_trial(planned.series, request, planned.repetition, facts, planned.digests)
    return replace(planned, trial=trial)


def _keep(copy: Path, content: bytes) -> str:
    write_bytes(copy, content)
    return keep_binaries([copy])[copy]


def most_rows(plan: Plan) -> int:
    """The most samples that a record of this plan can hold."""
    counts = (planned.trial.request.counts for planned in plan.planned)
    return max((sum(2 * count.iterations + MORE_ROWS for count in of_trial) for of_trial in counts), default=0)


def unpack_records(content: bytes, results: Path, rows: int) -> frozenset[str]:
    """Write the files of records, each with at most `rows` samples; return the keys of complete records."""
    files: dict[str, set[str]] = {}
    for path, data in unpack(content, RECORDS).items():
        match = _RECORD_PATH.fullmatch(path)
        if match is None:
            raise SubmissionError(f"{path!r} is not a file of a record", RECORDS, fault=OpeningFault.NAME)
        key, name = match.groups()
        if name == SAMPLES:
            require_bounded(data, path, rows)
        elif name == RECORD:
            require_plain(data, path)
        write_bytes(record_folder(results, key) / name, data)
        files.setdefault(key, set()).add(name)
    return frozenset(key for key, names in files.items() if names == set(RECORD_FILES))


def require_bounded(content: bytes, path: str, rows: int) -> None:
    """Refuse samples that unpack to too much, since their readers unpack them whole."""
    unpacking = zlib.decompressobj(_GZIP)
    try:
        unpacked = unpacking.decompress(content, LARGEST_SAMPLES + 1)
    except zlib.error as error:
        raise SubmissionError(f"{path} cannot be unpacked: {error}", RECORDS) from error
    if len(unpacked) > LARGEST_SAMPLES or unpacked.count(b"\n") > rows:
        what = f"{path} unpacks to more than {LARGEST_SAMPLES} bytes or {rows} rows"
        raise SubmissionError(what, RECORDS, fault=OpeningFault.TOO_LARGE)
    if not unpacking.eof or unpacking.unused_data:
        raise SubmissionError(f"{path} is not one whole gzip stream", RECORDS)


Texts = Mapping[str, bytes]  # of a student, by the names of the files beside the experiment


def rebuild(evidence: Evidence, texts: Texts, templates: Path, cache: Path, scratch: Path) -> bytes:
    """The PDF as `lab report` builds it, with its checks of texts and its sandbox of LaTeX; cached."""
    stamp = _digest(evidence, texts, templates)
    file = cache / "rebuilt" / f"{stamp}.pdf"
    if not is_current(file, stamp):
        write_bytes(file, prepare(_sources(evidence, texts, templates, scratch), evidence, cache).typeset())
        keep_stamp(file, stamp)
    return file.read_bytes()


def with_files(pdf: bytes, built: Mapping[str, bytes], handed_in: Mapping[str, bytes], more: Iterable[str]) -> bytes:
    """The PDF with the submitted files in place of the built ones, and with more of them, as `lab submit` adds."""
    with tempfile.TemporaryDirectory(prefix="lab-pages-") as name:
        Path(name, "report.pdf").write_bytes(pdf)
        removed = [f"--remove-attachment={file}" for file in built]
        run_qpdf(["qpdf", "--deterministic-id", "report.pdf", *removed, "pages.pdf"], Path(name))
        pages = Path(name, "pages.pdf").read_bytes()
    report = attach(pages, {file: handed_in.get(file, content) for file, content in built.items()})
    return attach(report, {file: handed_in[file] for file in more if file in handed_in})


def _sources(evidence: Evidence, texts: Texts, templates: Path, scratch: Path) -> Sources:
    """The grader's experiment and the student's texts, copied into a scratch folder."""
    file = evidence.plan.experiment.file
    sources = Sources(scratch / "texts" / file.name, templates)
    write_bytes(sources.experiment, read_whole(file).text.encode())
    for name, content in texts.items():
        write_bytes(sources.folder / name, content)
    return sources


def _digest(evidence: Evidence, texts: Texts, templates: Path) -> str:
    typeset = [*sorted(templates.rglob("*.*")), *sorted(PUBLISHED.glob("*.*"))]
    counted = files_of(evidence.plan.experiment.name, evidence.results)
    digest = hashlib.sha256(f"{digest_code()} {digest_files(typeset)} {digest_files(counted)}".encode())
    digest.update(canonical(evidence.plan.experiment.failed).encode())
    for key, facts in evidence.facts.items():
        digest.update(canonical(facts.lasting()).encode())
        digest.update((record_folder(evidence.results, key) / SAMPLES).read_bytes())
    for name, text in sorted(texts.items()):
        digest.update(f"{name} {len(text)} ".encode() + text)
    return digest.hexdigest()
