"""Run LaTeX in a sandbox, and explain its errors."""

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from lab.errors import tell
from lab.files.store import take
from lab.places import CACHE, from_here
from lab.report.errors import ReportError

# The date of all reports, 2026-01-01 as on the exact site's clock; today's date would change the bytes.
EPOCH = 1_767_225_600
CPU_S = 100
DEADLINE_S = 12 * CPU_S  # on a busy host: at a load of 20, 120 s were too few for a valid report
MOST_PASSES = 5
OPTIONS = ("-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-no-shell-escape", "-no-parse-first-line")
LIMITS = (f"--cpu={CPU_S}", f"--as={2 * 10**9}", f"--fsize={10**8}", "--core=0")

LEAST_OVERFULL_PT = 1.0  # the least that a reader sees
_BOXES = (
    (r"Overfull \\hbox \(([\d.]+)pt too wide\).*? at lines? (?P<line>\d+)", "a line is {} pt too wide"),
    (r"Overfull \\vbox \(([\d.]+)pt too high\)(?P<line>)", "a page is {} pt too high"),
    (
        r"LaTeX Warning: Float too large for page by ([\d.]+)pt on input line (?P<line>\d+)",
        "a figure or a table is {} pt too high",
    ),
)
_ERROR = re.compile(r"^(?:\./)?(?P<file>[\w./-]+):(?P<line>\d+): (?P<what>.+)$", re.MULTILINE)
_UNDEFINED = re.compile(r"^l\.\d+ .*?(\\[A-Za-z@]+|\\.)\s*$", re.MULTILINE)  # the command ends the log's next line
_UNICODE = re.compile(r"Unicode character .*?\(U\+([0-9A-F]+)\)", re.DOTALL)
ENDED = "ulimit -a and df: LaTeX may have reached a limit on files, memory or disk space"
PROGRAMS, INSTALL = ("pdflatex", "bibtex"), "make setup"  # which installs TeX Live
SETUP_LOCK = CACHE / "setup.lock"
HINTS = {
    "Undefined control sequence": "a command that LaTeX has, or text without a backslash",
    "Missing $ inserted": r"\_ for an underscore, or $...$ around a formula",
    "Extra }": "as many { as }",
    "Too many }": "as many { as }",
    "Runaway argument": "a } where the argument ends",
    "You can't use `macro parameter character": r"\# for the sign",
    "Missing number": "a number where one is expected",
}


def require_tex(programs: Sequence[str] = PROGRAMS) -> None:
    """Raise if a program of TeX Live is not on the PATH, once a set-up that may install it is over."""
    with suppress(OSError), SETUP_LOCK.open() as lock:  # which code/setup/setup holds while it installs packages
        take(lock, fcntl.LOCK_SH, tell, f"the installation of packages ({from_here(CACHE)}/setup.log)")
    for program in programs:
        if not shutil.which(program):
            raise ReportError(f"{program} is not installed", hint=INSTALL)


def compile_pdf(files: Mapping[str, bytes], main: str) -> bytes:
    """Return the PDF of the main file; raise where LaTeX fails or a line or figure sticks out, with file and line."""
    with tempfile.TemporaryDirectory(prefix="lab-report-") as name:
        scratch = Path(name)
        for path, content in files.items():
            (scratch / path).parent.mkdir(parents=True, exist_ok=True)
            (scratch / path).write_bytes(content)
            os.utime(scratch / path, (EPOCH, EPOCH))
        for fault in _overfull_boxes(_run_until_settled(scratch, main)):
            raise fault
        return (scratch / main).with_suffix(".pdf").read_bytes()


def _run_until_settled(scratch: Path, main: str) -> str:
    """Run LaTeX until a pass leaves the labels and bookmarks that it read; return the last log."""
    left: list[bytes] | None = None
    for _ in range(MOST_PASSES):
        log, before = _run_once(scratch, main), left
        files = [(scratch / main).with_suffix(ending) for ending in (".aux", ".out")]
        left = [file.read_bytes() for file in files if file.is_file()]
        if left == before:
            break
    return log


def _run_once(scratch: Path, main: str) -> str:
    done = run("LaTeX", ["pdflatex", *OPTIONS, main], scratch, main)
    file = (scratch / main).with_suffix(".log")
    log = file.read_text(errors="replace") if file.exists() else done.stdout.decode(errors="replace")
    if done.returncode:
        raise first_error(log)
    return log


def run(name: str, command: list[str], scratch: Path, file: str) -> subprocess.CompletedProcess[bytes]:
    """Run a program of TeX Live within its limits; an error has the program's name and the file that it reads."""
    require_tex(command[:1])
    home = str(scratch)  # TeX reads no file of the user
    folders = dict.fromkeys(("HOME", "TEXMFHOME", "TEXMFVAR", "TEXMFCONFIG", "TMPDIR"), home)
    fixed = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "SOURCE_DATE_EPOCH": str(EPOCH), "FORCE_SOURCE_DATE": "1"}
    closed = {"openin_any": "p", "openout_any": "p", "shell_escape": "f", "max_print_line": "1000"}
    try:
        return subprocess.run(
            ["prlimit", *LIMITS, *command],
            cwd=scratch,
            env={"PATH": os.environ.get("PATH", os.defpath), **folders, **fixed, **closed},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise ReportError(f"{error.filename} is not installed", hint="make setup") from error
    except subprocess.TimeoutExpired as error:
        raise ReportError(f"{name} did not end within {DEADLINE_S} s", file=file) from error


def first_error(log: str) -> ReportError:
    """The first error of a log that was written with -file-line-error."""
    match = _ERROR.search(log)
    if match is None:
        last = next((line for line in log.splitlines() if line.startswith("!")), "")
        return ReportError(last.lstrip("! ") or "LaTeX ended without an error message", hint="" if last else ENDED)
    what = match["what"].removeprefix("LaTeX Error: ").strip().rstrip(".")
    if bad := _UNICODE.search(match["what"]):
        what = f"the report's font has no character U+{bad[1]}"
    hint = next((advice for start, advice in HINTS.items() if what.startswith(start)), "")
    if what.startswith("Undefined control sequence") and (command := _UNDEFINED.search(log, match.end())):
        what += f" {command[1]}"
    return ReportError(what, hint=hint, file=match["file"], line=int(match["line"]))


def _overfull_boxes(log: str) -> Iterator[ReportError]:
    """Lines, pages and figures that are visibly too large; the log has no source line for a page."""
    for pattern, what in _BOXES:
        for box in re.finditer(f"^{pattern}", log, re.MULTILINE):
            if float(box[1]) > LEAST_OVERFULL_PT:
                file, line = _file_at(log, box.start()), int(box["line"]) if box["line"] else None
                yield ReportError(what.format(box[1]), file=file, line=line, hint="shorter words or another break")


def _file_at(log: str, position: int) -> str:
    """The file that LaTeX was reading; in the log, parentheses enclose a file's lines."""
    open_files: list[str] = []
    for mark in re.finditer(r"\((?:\./)?([\w./-]*)|\)", log[:position]):
        if mark[0] == ")":
            del open_files[-1:]
        else:
            open_files.append(mark[1])
    return next((name for name in reversed(open_files) if name.endswith((".tex", ".sty"))), "report.tex")
