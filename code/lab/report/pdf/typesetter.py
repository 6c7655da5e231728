"""The TeX that a PDF was typeset with, as its table of the environment says: another TeX gives other bytes."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from lab.report.pdf.attach import DEADLINE_S
from lab.report.pdf.extract import LARGEST_PDF, LIMITS

LARGEST_TEXT = 20 * 2**20
# pdfTeX's banner; a line may end behind each of its hyphens.
_BANNER = re.compile(rb"This is (pdfTeX, Version [0-9. -]{1,60} \([\w ./-]{1,60}\))", re.ASCII)


def typesetter(pdf: Path) -> str:
    """`pdfTeX, Version 3.14...-1.40.24 (TeX Live 2022/Debian)`; empty if the pages do not say it."""
    with tempfile.TemporaryDirectory(prefix="lab-typesetter-") as name:
        scratch = Path(name)
        with pdf.open("rb") as file:
            (scratch / "report.pdf").write_bytes(file.read(LARGEST_PDF))
        found = _BANNER.search(b" ".join(_text(scratch).split()))
    return found[1].decode().replace("- ", "-") if found else ""


def _text(scratch: Path) -> bytes:
    """The words of all pages, up to a bound: the PDF is a stranger's."""
    command = [*LIMITS, "pdftotext", "-raw", "report.pdf", "-"]
    with subprocess.Popen(command, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        text = process.stdout.read(LARGEST_TEXT)
        process.stdout.close()
        process.wait(DEADLINE_S)
    return text
