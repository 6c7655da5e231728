"""Run LaTeX in a sandbox, and explain its errors."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lab.errors import StorageError
from lab.files.storage import storage, write_bytes, write_text
from lab.files.store import is_current, keep_stamp
from lab.report.errors import ReportError

# A box that sticks out by less cannot be seen.
OVERFULL_PT = 1.0
ENDED = "ulimit -a: what a file may hold and a program may take here; and df: room on the disk"
_ERROR = re.compile(r"^(?:\./)?(?P<file>[\w./-]+):(?P<line>\d+): (?P<what>.+)$", re.MULTILINE)
_OVERFULL = re.compile(
    r"^Overfull \\hbox \((?P<pt>[\d.]+)pt too wide\) (?:in paragraph |in alignment |detected )?at lines? (?P<line>\d+)",
    re.MULTILINE,
)
_TALL = re.compile(r"^Overfull \\vbox \((?P<pt>[\d.]+)pt too high\)", re.MULTILINE)
_FLOAT = re.compile(
    r"^LaTeX Warning: Float too large for page by (?P<pt>[\d.]+)pt on input line (?P<line>\d+)", re.MULTILINE
)
_BOXES = (
    (_OVERFULL, "a line is {} pt too wide"),
    (_TALL, "a page is {} pt too high"),
    (_FLOAT, "a figure or a table is {} pt too high"),
)
_UNICODE = re.compile(r"Unicode character .*?\(U\+([0-9A-F]+)\)", re.DOTALL)
ADVICE = {
    "Undefined control sequence": "a command that LaTeX knows, or text without a backslash",
    "Missing $ inserted": r"\_ for an underscore, or $...$ around a formula",
    "Extra }": "as many { as }",
    "Too many }": "as many { as }",
    "Runaway argument": "a } where the argument ends",
    "Missing number": "a number where one is expected",
}


@dataclass(frozen=True)
class Box:
    """A line or page that sticks out."""

    what: str
    file: str
    line: int | None


def first_error(log: str) -> ReportError:
    """The first error of a log that was written with -file-line-error."""
    found = _ERROR.search(log)
    if found is None:
        last = next((line for line in log.splitlines() if line.startswith("!")), "")
        return ReportError(last.lstrip("! ")) if last else ReportError("LaTeX failed and did not say why", hint=ENDED)
    what = found["what"].removeprefix("LaTeX Error: ").strip().rstrip(".")
    if bad := _UNICODE.search(found["what"]):
        what = f"the report's font has no character U+{bad[1]}"
    what += _command(log[found.end() :], what)
    hint = next((advice for start, advice in ADVICE.items() if what.startswith(start)), "")
    return ReportError(what, hint=hint, file=found["file"], line=int(found["line"]))


def unpleasant_boxes(log: str) -> list[Box]:
    """Everything that sticks out of its line or page by more than a reader overlooks."""
    return [
        Box(what.format(found["pt"]), _file_at(log, found.start()), _line(found))
        for pattern, what in _BOXES
        for found in pattern.finditer(log)
        if float(found["pt"]) > OVERFULL_PT
    ]


def _line(found: re.Match[str]) -> int | None:
    """Of a page the log gives none."""
    line = found.groupdict().get("line")
    return int(line) if line else None


def _command(after: str, what: str) -> str:
    """The undefined command is the end of the log's next line."""
    if not what.startswith("Undefined control sequence"):
        return ""
    shown = re.search(r"^l\.\d+ (.*)$", after, re.MULTILINE)
    name = re.search(r"(\\[A-Za-z@]+|\\.)\s*$", shown[1]) if shown else None
    return f" {name[1]}" if name else ""


def _file_at(log: str, position: int) -> str:
    """The file that LaTeX was reading: the log opens it with a parenthesis and closes it with another."""
    open_files: list[str] = []
    for mark in re.finditer(r"\((?:\./)?([\w./-]*)|\)", log[:position]):
        if mark[0] == ")":
            del open_files[-1:]
        else:
            open_files.append(mark[1] or "")
    return next((name for name in reversed(open_files) if name.endswith((".tex", ".sty"))), "report.tex")


# The date of all reports: 2026-01-01, as on the exact site's clock. A date of today would change the bytes.
EPOCH = 1_767_225_600
CPU_S = 100
DEADLINE_S = 12 * CPU_S  # a busy computer gives it a part of a processor: 120 s ended honest reports at a load of 20
LATEX = ("-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-no-shell-escape", "-no-parse-first-line")
LIMITS = (f"--cpu={CPU_S}", f"--as={2 * 10**9}", f"--fsize={10**8}", "--core=0")


def run(name: str, command: list[str], scratch: Path, file: str) -> subprocess.CompletedProcess[bytes]:
    """What it said and its status; an error names it as people do, and the file that it reads."""
    try:
        return subprocess.run(
            ["prlimit", *LIMITS, *command],
            cwd=scratch,
            env=environment(scratch),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise ReportError(f"{error.filename} is not installed", hint="make setup") from error
    except subprocess.TimeoutExpired as error:
        raise ReportError(f"{name} did not end within {DEADLINE_S} s", file=file) from error


def environment(scratch: Path) -> dict[str, str]:
    """Nothing of the caller's: no locale, no time zone, no folder of one's own that TeX would look into."""
    home = str(scratch)
    paths = dict.fromkeys(("HOME", "TEXMFHOME", "TEXMFVAR", "TEXMFCONFIG", "TMPDIR"), home)
    fixed = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "SOURCE_DATE_EPOCH": str(EPOCH), "FORCE_SOURCE_DATE": "1"}
    closed = {"openin_any": "p", "openout_any": "p", "shell_escape": "f", "max_print_line": "1000"}
    return {"PATH": os.environ.get("PATH", os.defpath), **paths, **fixed, **closed}


STYLE = "lab.sty"
GZIP = b"\x1f\x8b"
FORMAT, INPUTS = "preamble.fmt", "preamble.inputs"
_BEGINNING = re.compile(rb"\\documentclass(?:\[[^\[\]{}\\]*\])?\{\w+\}\n\\usepackage\{lab\}\n")
# The text still begins with the same lines: they load no class again; a style that is there LaTeX itself loads no more.
_BEHIND = rb"""\makeatletter\renewcommand\documentclass[2][]{\let\documentclass\@twoclasseserror}\makeatother
\dump
"""
_READ = re.compile(r"INPUT (/.*)")


@dataclass(frozen=True)
class Preamble:
    """The lines and the style that they take in."""

    lines: bytes
    style: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(b"\0".join((self.lines, _BEHIND, self.style))).hexdigest()


def preamble_of(files: Mapping[str, bytes], main: str) -> Preamble | None:
    """The beginning of a main file, if it is as the lab's templates have it."""
    found = _BEGINNING.match(files[main])
    return Preamble(found[0], files[STYLE]) if found and STYLE in files else None


def format_of(preamble: Preamble, folder: Path) -> Path | None:
    """The format of before, while nothing that it was made of has changed, or else a new one; none where LaTeX makes
    none or nothing may be kept."""
    kept = folder / FORMAT
    if is_current(kept, _stamp(preamble, _inputs(folder))):
        return kept
    with suppress(ReportError, StorageError):
        _make(preamble, folder)
        return kept
    return None


def forget_format(folder: Path) -> None:
    """One with which a good text gave an error."""
    with suppress(StorageError), storage(folder):
        (folder / FORMAT).unlink(missing_ok=True)


def _make(preamble: Preamble, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="lab-preamble-") as name:
        scratch = Path(name)
        (scratch / STYLE).write_bytes(preamble.style)
        (scratch / "preamble.tex").write_bytes(preamble.lines + _BEHIND)
        command = ["pdflatex", "-ini", "-recorder", *LATEX, "&pdflatex", "preamble.tex"]
        if run("LaTeX", command, scratch, STYLE).returncode:
            raise ReportError("LaTeX makes no format", file=STYLE)
        read = {found[1] for found in _READ.finditer((scratch / "preamble.fls").read_text())}
        inputs = sorted(read) + _lists_of_files(scratch)
        write_text(folder / INPUTS, "\n".join(inputs))
        write_bytes(folder / FORMAT, _unpacked((scratch / FORMAT).read_bytes()))
    keep_stamp(folder / FORMAT, _stamp(preamble, inputs))


def _unpacked(made: bytes) -> bytes:
    """TeX reads it packed or not; to unpack it takes TeX a sixth of the time of a report."""
    return gzip.decompress(made) if made.startswith(GZIP) else made


def _lists_of_files(scratch: Path) -> list[str]:
    """Those of TeX's trees, there or not: a package that comes into one of them may be read in place of another."""
    said = run("kpsewhich", ["kpsewhich", "-expand-braces", "$TEXMFDBS"], scratch, STYLE)
    trees = said.stdout.decode(errors="replace").strip().split(":")
    return [f"{tree.removeprefix('!!')}/ls-R" for tree in trees if tree]


def _inputs(folder: Path) -> list[str]:
    file = folder / INPUTS
    return file.read_text(errors="replace").splitlines() if file.is_file() else []


def _stamp(preamble: Preamble, inputs: Iterable[str]) -> str:
    states = "".join(f"{file} {_state(file)}\n" for file in inputs)
    return hashlib.sha256(f"{preamble.digest}\n{states}".encode()).hexdigest()


def _state(file: str) -> str:
    """Packages replace files: a new one has a time or a size of its own, and reading them all would take longer."""
    try:
        status = Path(file).stat()
    except OSError:
        return "none"
    return f"{status.st_mtime_ns} {status.st_size}"


LEFT = (".aux", ".out")  # labels and widths of tables; bookmarks
_PAGE = re.compile(rb"(\\newlabel\{[^{}]*\}\{\{[^{}]*\}\{)[^{}]*")
_READS_PAGES = re.compile(rb"\\(?:\w*pageref|tableofcontents|listof\w+)(?![A-Za-z])")
_OF_PAGES = (rb"\@writefile", rb"\gdef \@abspage@last")  # for lists of contents and figures, by page


@dataclass(frozen=True)
class PassFiles:
    """The files by their endings; none of them before the first pass."""

    files: tuple[tuple[str, bytes], ...] = ()

    def agrees(self, other: PassFiles, *, with_pages: bool) -> bool:
        """Whether a text reads the same from both."""
        return bool(self.files) and self._read(with_pages=with_pages) == other._read(with_pages=with_pages)

    def _read(self, *, with_pages: bool) -> dict[str, list[bytes]]:
        lines = {ending: content.splitlines() for ending, content in self.files}
        return lines if with_pages else {ending: _without_pages(each) for ending, each in lines.items()}


def read_left(folder: Path, stem: str) -> PassFiles:
    """What lies in the folder."""
    files = ((ending, folder / f"{stem}{ending}") for ending in LEFT)
    return PassFiles(tuple((ending, file.read_bytes()) for ending, file in files if file.is_file()))


def put_left(left: PassFiles, folder: Path, stem: str) -> None:
    """Lay it there for the next pass, and nothing else of a pass before."""
    for ending in LEFT:
        (folder / f"{stem}{ending}").unlink(missing_ok=True)
    for ending, content in left.files:
        (folder / f"{stem}{ending}").write_bytes(content)


def reads_pages(sources: list[bytes]) -> bool:
    """Whether a text prints the page of anything; else a label's page may move without a word that changes."""
    return any(_READS_PAGES.search(each) for each in sources)


def _without_pages(lines: list[bytes]) -> list[bytes]:
    """Labels by name, since a figure that moves to the next page is named later; all other lines stay in order."""
    kept = [_PAGE.sub(rb"\1", line) for line in lines if not line.startswith(_OF_PAGES)]
    return sorted(kept, key=lambda line: line if line.startswith(rb"\newlabel") else b"")


MOST_PASSES = 5  # as latexmk has it


def compile_pdf(files: dict[str, bytes], main: str, before: Path | None = None) -> bytes:
    """The PDF of the main file; an error or an ugly box is one sentence with file and line.

    `before` is a folder for what the last build of this text left: if it still holds, one pass is enough, and that one
    reads no preamble.
    """
    with tempfile.TemporaryDirectory(prefix="lab-report-") as name:
        scratch, stem = Path(name), Path(main).stem
        for path, content in files.items():
            (scratch / path).parent.mkdir(parents=True, exist_ok=True)
            (scratch / path).write_bytes(content)
            os.utime(scratch / path, (EPOCH, EPOCH))
        start = read_left(before, stem) if before else PassFiles()
        quick = _format(files, main, before)
        left = _run(scratch, main, start, quick, with_pages=reads_pages(_sources(files)))
        _keep(left, before, stem)
        return (scratch / main).with_suffix(".pdf").read_bytes()


def _format(files: dict[str, bytes], main: str, before: Path | None) -> Path | None:
    preamble = preamble_of(files, main)
    return format_of(preamble, before) if preamble and before else None


def _sources(files: dict[str, bytes]) -> list[bytes]:
    return [content for name, content in files.items() if name.endswith((".tex", ".sty"))]


def _keep(left: PassFiles, before: Path | None, stem: str) -> None:
    """For the next build, where one may write."""
    if before:
        with suppress(StorageError), storage(before):
            before.mkdir(parents=True, exist_ok=True)
            put_left(left, before, stem)


def _run(scratch: Path, main: str, start: PassFiles, quick: Path | None, *, with_pages: bool) -> PassFiles:
    """Passes until one leaves what it read. Where the start is of another text, or damaged, it begins with none; a
    format that makes an error of a good text is no longer kept."""
    try:
        return _passes(scratch, main, start, quick, with_pages=with_pages)
    except ReportError:
        if not start.files and not quick:
            raise
        left = _passes(scratch, main, PassFiles(), None, with_pages=with_pages)
    if quick:
        forget_format(quick.parent)
    return left


def _passes(scratch: Path, main: str, left: PassFiles, quick: Path | None, *, with_pages: bool) -> PassFiles:
    put_left(left, scratch, Path(main).stem)
    for _ in range(MOST_PASSES):
        log, read = one_pass(scratch, main, quick), left
        left = read_left(scratch, Path(main).stem)
        if left.agrees(read, with_pages=with_pages):
            break
    if ugly := unpleasant_boxes(log):
        raise ReportError(ugly[0].what, file=ugly[0].file, line=ugly[0].line, hint="shorter words or another break")
    return left


def one_pass(scratch: Path, main: str, quick: Path | None = None) -> str:
    """The log of a run of pdflatex; with a format it looks for files as without one."""
    start = ("-progname=pdflatex", f"-fmt={quick.absolute()}") if quick else ()
    done = run("LaTeX", ["pdflatex", *start, *LATEX, main], scratch, main)
    file = (scratch / main).with_suffix(".log")
    log = file.read_text(errors="replace") if file.exists() else done.stdout.decode(errors="replace")
    if done.returncode:
        raise first_error(log)
    return log
