"""The TeX that a PDF was typeset with, as its table of the environment says: another TeX gives other bytes."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from lab.report.pdf.bounded import LARGEST_PDF, output_of

LARGEST_TEXT = 20 * 2**20
# pdfTeX's banner; a line may end behind each of its hyphens.
_BANNER = re.compile(rb"This is (pdfTeX, Version [0-9. -]{1,60} \([\w ./-]{1,60}\))", re.ASCII)


def typesetter(pdf: Path) -> str:
    """`pdfTeX, Version 3.14...-1.40.24 (TeX Live 2022/Debian)`; empty if the pages do not say it."""
    with tempfile.TemporaryDirectory(prefix="lab-typesetter-") as name:
        scratch = Path(name)
        with pdf.open("rb") as file:
            (scratch / "report.pdf").write_bytes(file.read(LARGEST_PDF))
        text, _ = output_of(["pdftotext", "-raw", "report.pdf", "-"], scratch, LARGEST_TEXT)
    found = _BANNER.search(b" ".join(text.split()))
    return found[1].decode().replace("- ", "-") if found else ""
