"""The objects of a stranger's PDF by number, with their streams as digests: nothing is unpacked or drawn."""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.faults import OpeningFault
from lab.grade.pdf_parts import run_bounded
from lab.submission.errors import SubmissionError

LARGEST_JSON = 16 * 2**20
COMMAND = (
    *("qpdf", "--json=2", "--json-stream-data=file", "--json-stream-prefix=stream", "--decode-level=none"),
    "report.pdf",
)

AGAIN = "again.pdf"
WRITE_AGAIN = ("qpdf", "--static-id", "--stream-data=preserve", "report.pdf", AGAIN)

PdfValue = Any  # a value as qpdf writes it: table, list, text, number, or a reference such as "12 0 R"


@dataclass(frozen=True)
class PdfObjects:
    """A PDF as qpdf reads it. A stream is its table; its content is a digest."""

    trailer: dict[str, PdfValue]
    values: dict[str, PdfValue]  # by reference
    streams: dict[str, str]  # the digest of a stream's packed bytes, by reference


def read_objects(pdf: bytes) -> PdfObjects:
    """All objects, whether anything refers to them or not."""
    with tempfile.TemporaryDirectory(prefix="lab-objects-") as name:
        folder = Path(name)
        text = run_bounded(COMMAND, pdf, folder, LARGEST_JSON)
        try:
            found = json.loads(text)["qpdf"][1]
            trailer = found.pop("trailer")["value"]
            named = {key.removeprefix("obj:"): each for key, each in found.items()}
            streams = {key: each["stream"] for key, each in named.items() if "stream" in each}
            values = {key: streams[key]["dict"] if key in streams else each["value"] for key, each in named.items()}
            digests = {key: _digest(folder / each["datafile"]) for key, each in streams.items()}
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, OSError) as error:
            raise SubmissionError(f"the PDF's objects cannot be read: {error!r:.200}") from error
    if not isinstance(trailer, dict):
        raise SubmissionError("the PDF has no trailer", fault=OpeningFault.UNREADABLE)
    return PdfObjects(trailer, values, digests)


def beside_objects(pdf: bytes) -> int:
    """The bytes that belong to no object of the PDF: what is lost when qpdf writes all that it refers to."""
    with tempfile.TemporaryDirectory(prefix="lab-again-") as name:
        run_bounded(WRITE_AGAIN, pdf, Path(name), LARGEST_JSON)
        again = Path(name, AGAIN)
        return len(pdf) - (again.stat().st_size if again.exists() else 0)


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
