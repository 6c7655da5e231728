"""The files out of a report's PDF. The PDF is a stranger's: names, sizes and numbers of files are bounded."""

from __future__ import annotations

import re
import signal
import tempfile
from pathlib import Path

from lab.errors import SpecError
from lab.faults import OpeningFault
from lab.files.storage import storage
from lab.files.typed_text import TooLarge, read_bounded
from lab.report.errors import AttachmentError
from lab.report.pdf.attach import run_qpdf
from lab.report.pdf.bounded import LARGEST_PDF, LIMITS, output_of

LARGEST_FILE, LARGEST_TOTAL, MOST_FILES = 50 * 2**20, 100 * 2**20, 32
MOST_OBJECTS = 20_000  # a report of the lab has some hundreds
LONGEST_LINE = 80  # about an object, as qpdf lists them
KILLED = (-signal.SIGKILL, -signal.SIGXCPU)
# One path component that starts with a letter: no folder, no hidden file, no option.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", re.ASCII)
_LISTED = re.compile(r"^(?P<name>.+) -> \d+,\d+$", re.MULTILINE)


def extract(pdf: Path, folder: Path) -> list[Path]:
    """Write every attachment into the folder, which must not hold a file of its name yet."""
    with tempfile.TemporaryDirectory(prefix="lab-extract-") as name:
        scratch = Path(name)
        (scratch / "report.pdf").write_bytes(_read(pdf))
        _require_few_objects(scratch, pdf)
        left, contents = LARGEST_TOTAL, {}
        for each in _names(scratch, pdf):
            contents[each] = _content(scratch, each, pdf, min(LARGEST_FILE, left))
            left -= len(contents[each])
    return [_write(folder / each, content) for each, content in contents.items()]


def _read(pdf: Path) -> bytes:
    try:
        return read_bounded(pdf, LARGEST_PDF)
    except TooLarge as error:
        what = f"is larger than {LARGEST_PDF} bytes"
        raise AttachmentError(what, where=str(pdf), fault=OpeningFault.TOO_LARGE) from error
    except SpecError as error:
        raise AttachmentError(error.what, where=str(pdf)) from error


def _names(scratch: Path, pdf: Path) -> list[str]:
    try:
        listing = run_qpdf([*LIMITS, "qpdf", "--list-attachments", "report.pdf"], scratch)
    except AttachmentError as error:
        raise AttachmentError(f"is no PDF that qpdf can read: {error.what}", where=str(pdf)) from error
    names = [found["name"] for found in _LISTED.finditer(listing)]
    if not names:
        raise AttachmentError(
            "holds no attachments", where=str(pdf), hint="a PDF that lab report wrote", fault=OpeningFault.NO_DATA
        )
    if len(names) > MOST_FILES:
        what = f"holds {len(names)} attachments, at most {MOST_FILES} are taken"
        raise AttachmentError(what, where=str(pdf), fault=OpeningFault.TOO_LARGE)
    for name in names:
        if not _NAME.fullmatch(name):
            what = f"an attachment is called {name[:100]!r}, which is no file of a report"
            raise AttachmentError(what, where=str(pdf), fault=OpeningFault.NAME)
    return names


def _require_few_objects(scratch: Path, pdf: Path) -> None:
    """Refuse a PDF of so many objects that all that comes later takes minutes."""
    bound = MOST_OBJECTS * LONGEST_LINE - 1
    listed, status = output_of(["qpdf", "--show-xref", "report.pdf"], scratch, bound)
    if len(listed) > bound or listed.count(b"\n") > MOST_OBJECTS or status in KILLED:
        what = f"holds more than {MOST_OBJECTS} objects, or takes qpdf more than its time or memory"
        raise AttachmentError(what, where=str(pdf), fault=OpeningFault.TOO_LARGE)


def _content(scratch: Path, name: str, pdf: Path, bound: int) -> bytes:
    content, status = output_of(["qpdf", f"--show-attachment={name}", "report.pdf"], scratch, bound)
    if len(content) > bound:
        what = f"{name} unpacks to more than {bound} bytes"
        raise AttachmentError(what, where=str(pdf), fault=OpeningFault.TOO_LARGE)
    if status:
        raise AttachmentError(f"{name} cannot be unpacked", where=str(pdf))
    return content


def _write(file: Path, content: bytes) -> Path:
    with storage(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with file.open("xb") as stream:  # never through a link that lies there already
                stream.write(content)
        except FileExistsError as error:
            raise AttachmentError("is there already", where=str(file), hint="an empty folder") from error
    return file
