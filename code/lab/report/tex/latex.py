"""LaTeX into PDF: pdflatex through latexmk, in a scratch folder, shut off from the rest; same input, same bytes."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from lab.report.errors import ReportError
from lab.report.tex.log import first_error, unpleasant_boxes

# The date of all reports: 2026-01-01, as on the exact site's clock. A date of today would change the bytes.
EPOCH = 1_767_225_600
DEADLINE_S = 120
LIMITS = ("--cpu=100", f"--as={2 * 10**9}", f"--fsize={10**8}", "--core=0")
LATEX = "-interaction=nonstopmode -halt-on-error -file-line-error -no-shell-escape -no-parse-first-line"


def compile_pdf(files: dict[str, bytes], main: str) -> bytes:
    """The PDF of the main file; an error or an ugly box is one sentence with file and line."""
    with tempfile.TemporaryDirectory(prefix="lab-report-") as name:
        scratch = Path(name)
        for path, content in files.items():
            (scratch / path).parent.mkdir(parents=True, exist_ok=True)
            (scratch / path).write_bytes(content)
            os.utime(scratch / path, (EPOCH, EPOCH))
        _run(scratch, main)
        return (scratch / main).with_suffix(".pdf").read_bytes()


def _run(scratch: Path, main: str) -> None:
    command = ["prlimit", *LIMITS, "latexmk", "-norc", "-pdf", f"-pdflatex=pdflatex {LATEX} %O %S", main]
    try:
        done = subprocess.run(
            command, cwd=scratch, env=_environment(scratch), capture_output=True, timeout=DEADLINE_S, check=False
        )
    except FileNotFoundError as error:
        raise ReportError(f"{error.filename} is not installed", hint="make setup") from error
    except subprocess.TimeoutExpired as error:
        raise ReportError(f"LaTeX did not end within {DEADLINE_S} s", file=main) from error
    file = (scratch / main).with_suffix(".log")
    log = file.read_text(errors="replace") if file.exists() else done.stdout.decode(errors="replace")
    if done.returncode:
        raise first_error(log)
    if ugly := unpleasant_boxes(log):
        raise ReportError(ugly[0].what, file=ugly[0].file, line=ugly[0].line, hint="shorter words or another break")


def _environment(scratch: Path) -> dict[str, str]:
    """Nothing of the caller's: no locale, no time zone, no folder of one's own that TeX would look into."""
    home = str(scratch)
    paths = dict.fromkeys(("HOME", "TEXMFHOME", "TEXMFVAR", "TEXMFCONFIG", "TMPDIR"), home)
    fixed = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "SOURCE_DATE_EPOCH": str(EPOCH), "FORCE_SOURCE_DATE": "1"}
    closed = {"openin_any": "p", "openout_any": "p", "shell_escape": "f", "max_print_line": "1000"}
    return {"PATH": os.environ.get("PATH", os.defpath), **paths, **fixed, **closed}
