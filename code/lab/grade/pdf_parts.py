"""The parts of a stranger's PDF, without unpacking or drawing anything: digests by what they are, and lines of text."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from lab.grade.finding import Flaw
from lab.report.pdf.extract import LIMITS
from lab.submission.errors import SubmissionError
from lab.typed_json import JsonTable

DEADLINE_S = 60
LARGEST_TEXT, LARGEST_JSON = 20 * 2**20, 600 * 2**20
# Places of objects in the file, and the attachments: no part of any page.
APART = frozenset({"/EmbeddedFile", "/XRef", "/ObjStm", "/Filespec", "/Catalog"})
_REFERENCE = re.compile(r"\d+ \d+ R")


@dataclass(frozen=True)
class Parts:
    """The number of each figure, page and other object."""

    by_kind: dict[Flaw, Counter[str]]


def read_parts(pdf: bytes) -> Parts:
    """Objects by digest, whatever their numbers; streams as they are packed."""
    command = ["qpdf", "--json=2", "--json-stream-data=inline", "--decode-level=none", "report.pdf"]
    try:
        objects = json.loads(_run(command, pdf, LARGEST_JSON))["qpdf"][1]
        counters: dict[Flaw, Counter[str]] = {kind: Counter() for kind in (Flaw.FIGURE, Flaw.STRUCTURE)}
        for each in objects.values():
            if digested := _digest(each):
                counters[digested[0]][digested[1]] += 1
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise SubmissionError(f"the PDF's objects cannot be read: {error!r:.200}") from error
    return Parts(counters)


def read_lines(pdf: bytes) -> list[str]:
    """The text, line by line as in the layout."""
    text = _run(["pdftotext", "-layout", "-nopgbrk", "report.pdf", "-"], pdf, LARGEST_TEXT).decode(errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _digest(each: JsonTable) -> tuple[Flaw, str] | None:
    about, kind, content = each.get("value"), Flaw.STRUCTURE, ""
    if isinstance(stream := each.get("stream"), dict):
        about, content = stream["dict"], stream.get("data", "")
        kind = Flaw.FIGURE if isinstance(about, dict) and about.get("/Subtype") == "/Form" else Flaw.STRUCTURE
    if not isinstance(about, dict) or about.get("/Type") in APART or {"/Producer", "/EF", "/Names"} & about.keys():
        return None
    words = _REFERENCE.sub("R", json.dumps(about, sort_keys=True))
    return kind, hashlib.sha256(f"{words} {content}".encode()).hexdigest()


def _run(command: list[str], pdf: bytes, bound: int) -> bytes:
    with tempfile.TemporaryDirectory(prefix="lab-parts-") as name:
        (Path(name) / "report.pdf").write_bytes(pdf)
        with subprocess.Popen(
            [*LIMITS, *command], cwd=name, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            assert process.stdout is not None
            content = process.stdout.read(bound + 1)
            if len(content) > bound:
                process.kill()
                raise SubmissionError(f"{command[0]} says more than {bound} bytes about it")
            process.wait(DEADLINE_S)
    return content
