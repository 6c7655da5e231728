"""A hand-in opened as a stranger's: a PDF, or a zip or a folder with one PDF in it."""

from __future__ import annotations

import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.faults import OpeningFault
from lab.files.typed_text import TooLarge, read_bounded
from lab.report.errors import AttachmentError
from lab.report.pdf.bounded import LARGEST_PDF
from lab.report.pdf.extract import extract
from lab.submission.archive import (
    LARGEST_FILE,
    LARGEST_TOTAL,
    MOST_FILES,
    SubmissionError,
    is_litter,
    require_path,
    unpack,
)

MAGIC = (b"%PDF", b"PK")
SUFFIXES = (".pdf", ".zip")


@dataclass(frozen=True)
class Submission:
    """The report as it was handed in, and the files inside it."""

    name: str
    pdf: bytes
    files: dict[str, bytes]


def open_submission(place: Path) -> Submission:
    """The hand-in in a file or folder; the lab runs nothing of it and writes nothing beside it."""
    pdf = _report(place)
    with tempfile.TemporaryDirectory(prefix="lab-open-") as folder:
        file = Path(folder) / "report.pdf"
        file.write_bytes(pdf)
        try:
            files = {each.name: each.read_bytes() for each in extract(file, Path(folder) / "files")}
        except AttachmentError as error:
            raise SubmissionError(error.what, str(place), error.hint, fault=error.fault) from error
    return Submission(place.stem, pdf, files)


def require_kind(place: Path) -> None:
    """Refuse a file that is no PDF or zip by name or content. A damaged PDF or zip still gets a grade."""
    if not place.exists():
        raise SubmissionError("there is no such file or folder", str(place))
    if place.is_dir() or place.suffix.lower() in SUFFIXES:
        return
    try:
        begins = read_bounded(place, LARGEST_TOTAL)[:4]
    except SpecError as error:
        raise SubmissionError(error.what, str(place)) from error
    if not begins.startswith(MAGIC):
        raise SubmissionError("is no PDF, zip or folder", str(place), "submission/<id>.pdf, as make submit wrote it")


def _report(place: Path) -> bytes:
    """The only PDF; with two, the reader would have to choose."""
    if place.is_symlink():
        raise SubmissionError("is a symbolic link", str(place), "the file itself", fault=OpeningFault.LINK)
    if not place.is_dir() and place.suffix.lower() != ".zip":
        return _read(place, LARGEST_PDF)
    files = _folder(place) if place.is_dir() else unpack(_read(place, LARGEST_TOTAL), str(place))
    reports = [content for name, content in files.items() if name.lower().endswith(".pdf")]
    if len(reports) == 1:
        return reports[0]
    fault = OpeningFault.SEVERAL_REPORTS if reports else OpeningFault.NO_REPORT
    raise SubmissionError(f"holds {len(reports)} PDFs, one is handed in", str(place), fault=fault)


def _folder(folder: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    left = LARGEST_TOTAL
    for file in sorted(folder.rglob("*")):
        name = str(file.relative_to(folder))
        if is_litter(name):
            continue
        require_path(name, str(folder))
        mode = file.lstat().st_mode
        if stat.S_ISDIR(mode):
            continue
        if not stat.S_ISREG(mode) or file.lstat().st_nlink > 1:
            raise SubmissionError(f"{name} is a link or a device", str(folder), fault=OpeningFault.LINK)
        if len(files) == MOST_FILES:
            raise SubmissionError(f"holds more than {MOST_FILES} files", str(folder), fault=OpeningFault.TOO_LARGE)
        files[name] = _read(file, min(LARGEST_FILE, left))
        left -= len(files[name])
    return files


def _read(file: Path, bound: int) -> bytes:
    try:
        return read_bounded(file, bound)
    except TooLarge as error:
        raise SubmissionError(f"is larger than {bound} bytes", str(file), fault=OpeningFault.TOO_LARGE) from error
    except SpecError as error:
        raise SubmissionError(error.what, str(file)) from error
