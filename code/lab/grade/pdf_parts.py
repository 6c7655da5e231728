"""What the tools for PDFs say of a stranger's: within bounds of time, memory and length, whatever it holds."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from lab.faults import OpeningFault
from lab.report.pdf.bounded import output_of
from lab.submission.errors import SubmissionError

LARGEST_TEXT = 4 * 2**20


def read_lines(pdf: bytes) -> list[str]:
    """The text, line by line as in the layout."""
    with tempfile.TemporaryDirectory(prefix="lab-lines-") as name:
        command = ("pdftotext", "-layout", "-nopgbrk", "report.pdf", "-")
        text = run_bounded(command, pdf, Path(name), LARGEST_TEXT).decode(errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def run_bounded(command: Sequence[str], pdf: bytes, folder: Path, bound: int) -> bytes:
    """The output of a tool about report.pdf in this folder. A tool that ends badly has said all that it could."""
    (folder / "report.pdf").write_bytes(pdf)
    content, _ = output_of(command, folder, bound)
    if len(content) > bound:
        what = f"{command[0]} says more than {bound} bytes about it"
        raise SubmissionError(what, fault=OpeningFault.TOO_LARGE)
    return content
