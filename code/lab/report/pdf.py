"""Attachments of a PDF: added, listed and extracted by qpdf, within bounds."""

import hashlib
import json
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.errors import OpeningFault, SpecError
from lab.files.bounded import TooLarge, read_bounded
from lab.files.storage import storage
from lab.records.facts import Facts
from lab.records.table import columns, format_table
from lab.report.errors import AttachmentError
from lab.report.evidence.evidence import Evidence
from lab.typed_json import JsonTable, JsonValue

LARGEST_PDF, LARGEST_FILE, LARGEST_TOTAL, MOST_FILES = 100 * 2**20, 50 * 2**20, 100 * 2**20, 32
LARGEST_TEXT = 20 * 2**20
MOST_OBJECTS = 20_000  # a report has some hundreds
LONGEST_LINE = 80  # of qpdf's list of objects
DEADLINE_S = 30
LIMITS = ("prlimit", "--cpu=8", f"--as={400 * 2**20}", f"--fsize={LARGEST_PDF}", "--core=0")
KILLED = (-signal.SIGKILL, -signal.SIGXCPU)
DATE = "D:20260101000000Z"  # of every attachment, so that the bytes of a PDF do not depend on the day
TYPES = {
    ".bib": "application/x-bibtex",
    ".csv": "text/csv",
    ".json": "application/json",
    ".toml": "application/toml",
    ".tex": "text/x-tex",
    ".zip": "application/zip",
}
# One path component that starts with a letter or a digit: not a folder, a hidden file or an option.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", re.ASCII)
MADE = "a PDF that lab report wrote"
_LISTED = re.compile(r"^(?P<name>.+) -> \d+,\d+$", re.MULTILINE)


def attachments(evidence: Evidence, texts: dict[str, bytes]) -> dict[str, bytes]:
    """The table, the manifest, the identity, and the texts, by file name."""
    plan = evidence.plan
    measured = [(key, facts) for key, facts in evidence.facts.items() if key not in evidence.unmeasured]
    files = {
        f"{plan.experiment.name}.csv": format_table(columns(plan, evidence.rows), evidence.rows),
        "manifest.json": _json([_manifest_entry(key, facts) for key, facts in measured]),
        "identity.json": _json({"site": plan.site.name, **plan.site.identity}),
    }
    return {name: text.encode() for name, text in files.items()} | texts


def _manifest_entry(key: str, facts: Facts) -> JsonTable:
    """A record: its key, a digest of its facts and samples, and some facts."""
    lasting = facts.lasting()
    digest = hashlib.sha256(json.dumps(lasting, sort_keys=True).encode()).hexdigest()
    names = ("program", "operation", "measure", "repetition", "checks", "notes", "programs")
    return {"key": key, "sha256": digest, "site_clock_ns": facts.clock_ns, **{name: lasting[name] for name in names}}


def _json(value: JsonValue) -> str:
    return json.dumps(value, indent=1, sort_keys=True) + "\n"


def attach(pdf: bytes, files: Mapping[str, bytes]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="lab-attach-") as name:
        folder = Path(name)
        (folder / "report.pdf").write_bytes(pdf)
        command = ["qpdf", "--deterministic-id", "report.pdf"]
        for number, (key, content) in enumerate(sorted(files.items())):
            (folder / str(number)).write_bytes(content)
            command += ["--add-attachment", str(number), f"--key={key}", f"--filename={key}"]
            command += [f"--mimetype={TYPES[Path(key).suffix]}", f"--creationdate={DATE}", f"--moddate={DATE}", "--"]
        run_qpdf([*command, "attached.pdf"], folder)
        return (folder / "attached.pdf").read_bytes()


def extract(pdf: Path, folder: Path) -> list[Path]:
    """Write every attachment of an untrusted PDF into the folder; raise if a file of its name exists."""
    with tempfile.TemporaryDirectory(prefix="lab-extract-") as name:
        scratch = Path(name)
        (scratch / "report.pdf").write_bytes(_read(pdf))
        # Raise if the PDF has so many objects that reading it would take minutes.
        bound = MOST_OBJECTS * LONGEST_LINE - 1
        listed, status = output_of(["qpdf", "--show-xref", "report.pdf"], scratch, bound)
        if len(listed) > bound or listed.count(b"\n") > MOST_OBJECTS or status in KILLED:
            raise _too_large(pdf, f"holds more than {MOST_OBJECTS} objects, or takes qpdf more than its time or memory")
        left, contents = LARGEST_TOTAL, dict[str, bytes]()
        for key in _names(scratch, pdf):
            contents[key] = _content(scratch, key, pdf, min(LARGEST_FILE, left))
            left -= len(contents[key])
    return [_write(folder / key, content) for key, content in contents.items()]


def _read(pdf: Path) -> bytes:
    try:
        return read_bounded(pdf, LARGEST_PDF)
    except TooLarge as error:
        raise _too_large(pdf, f"is larger than {LARGEST_PDF} bytes") from error
    except SpecError as error:
        raise AttachmentError(error.what, where=str(pdf)) from error


def _too_large(pdf: Path, what: str) -> AttachmentError:
    return AttachmentError(what, where=str(pdf), fault=OpeningFault.TOO_LARGE)


def _names(scratch: Path, pdf: Path) -> list[str]:
    try:
        listing = run_qpdf([*LIMITS, "qpdf", "--list-attachments", "report.pdf"], scratch)
    except AttachmentError as error:
        what = f"is not a PDF that qpdf can read: {error.what}"
        raise AttachmentError(what, where=str(pdf), hint=MADE) from error
    names = [line["name"] for line in _LISTED.finditer(listing)]
    if not names:
        raise AttachmentError("holds no attachments", where=str(pdf), hint=MADE, fault=OpeningFault.NO_DATA)
    if len(names) > MOST_FILES:
        raise _too_large(pdf, f"holds {len(names)} attachments (at most {MOST_FILES})")
    for name in names:
        if not _NAME.fullmatch(name):
            what = f"an attachment is called {name[:100]!r}, which is not a file of a report"
            raise AttachmentError(what, where=str(pdf), fault=OpeningFault.NAME)
    return names


def _content(scratch: Path, name: str, pdf: Path, bound: int) -> bytes:
    content, status = output_of(["qpdf", f"--show-attachment={name}", "report.pdf"], scratch, bound)
    if len(content) > bound:
        raise _too_large(pdf, f"{name} unpacks to more than {bound} bytes")
    if status:
        raise AttachmentError(f"{name} cannot be unpacked", where=str(pdf))
    return content


def _write(file: Path, content: bytes) -> Path:
    with storage(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with file.open("xb") as stream:  # never through an existing link
                stream.write(content)
        except FileExistsError as error:
            raise AttachmentError("is there already", where=str(file), hint="an empty folder") from error
    return file


def output_of(command: Sequence[str], folder: Path, bound: int) -> tuple[bytes, int]:
    """The output of a tool within its limits, and its status. A tool that prints more than the bound is killed, and the
    output is a byte longer than the bound, since a small stream can unpack to any size."""
    with subprocess.Popen(
        [*LIMITS, *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        content = process.stdout.read(bound + 1)
        process.stdout.close()
        if len(content) > bound:
            process.kill()
        return content, process.wait(DEADLINE_S)


def run_qpdf(command: Sequence[str], folder: Path) -> str:
    """The output of qpdf; warnings, with status 3, are errors too."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=DEADLINE_S, check=False)
    except FileNotFoundError as error:
        raise AttachmentError("qpdf is not installed", hint="make setup") from error
    except subprocess.TimeoutExpired as error:
        raise AttachmentError(f"qpdf did not end within {DEADLINE_S} s") from error
    if done.returncode:
        raise AttachmentError(done.stderr.decode(errors="replace").strip().splitlines()[-1])
    return done.stdout.decode(errors="replace")
