"""A program of TeX Live, in a scratch folder, shut off from the rest."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from lab.report.errors import ReportError

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
