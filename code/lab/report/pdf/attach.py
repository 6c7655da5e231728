"""Files inside a PDF, with qpdf: in the same order, with the same dates, so that the same files give the same bytes."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.report.errors import AttachmentError

DATE = "D:20260101000000Z"  # of every attachment: when it was made is nothing that its bytes depend on
DEADLINE_S = 30
TYPES = {
    ".bib": "application/x-bibtex",
    ".csv": "text/csv",
    ".json": "application/json",
    ".toml": "application/toml",
    ".tex": "text/x-tex",
    ".zip": "application/zip",
}


def attach(pdf: bytes, files: Mapping[str, bytes]) -> bytes:
    """The PDF with these files inside, by name."""
    with tempfile.TemporaryDirectory(prefix="lab-attach-") as name:
        folder = Path(name)
        (folder / "report.pdf").write_bytes(pdf)
        command = ["qpdf", "--deterministic-id", "report.pdf"]
        for place, (key, content) in enumerate(sorted(files.items())):
            (folder / str(place)).write_bytes(content)
            command += ["--add-attachment", str(place), f"--key={key}", f"--filename={key}"]
            command += [f"--mimetype={TYPES[Path(key).suffix]}", f"--creationdate={DATE}", f"--moddate={DATE}", "--"]
        run_qpdf([*command, "attached.pdf"], folder)
        return (folder / "attached.pdf").read_bytes()


def run_qpdf(command: Sequence[str], folder: Path) -> str:
    """The output of qpdf. It exits with 3 for warnings, and a file of ours never gives one."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=DEADLINE_S, check=False)
    except FileNotFoundError as error:
        raise AttachmentError("qpdf is not installed", hint="make setup") from error
    except subprocess.TimeoutExpired as error:
        raise AttachmentError(f"qpdf did not end within {DEADLINE_S} s") from error
    if done.returncode:
        raise AttachmentError(done.stderr.decode(errors="replace").strip().splitlines()[-1])
    return done.stdout.decode(errors="replace")
