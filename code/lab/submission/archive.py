"""Open a submission: a PDF, a ZIP or a folder, within bounds."""

import io
import json
import lzma
import re
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lab.errors import LabError, OpeningFault, SpecError, plural
from lab.files.bounded import TooLarge, read_bounded
from lab.files.store import sha256_of
from lab.report.errors import AttachmentError
from lab.report.pdf import LARGEST_PDF, extract
from lab.typed_json import JsonError, parse_as


@dataclass
class SubmissionError(LabError):
    """A submitted file cannot be opened safely."""

    fault: OpeningFault = OpeningFault.UNREADABLE


EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date of the format, so that the bytes don't depend on the time
MOST_FILES = 20_000
LARGEST_FILE, LARGEST_TOTAL = 50 * 2**20, 120 * 2**20
# Components that start with a letter, a digit or _, as people name their files: no folder above, no hidden file, no
# drive, no option, nothing that moves a cursor.
_COMPONENT = r"\w[^/\\:\x00-\x1f\x7f-\x9f]{0,99}"
_PATH = re.compile(rf"(?:{_COMPONENT}/){{0,6}}{_COMPONENT}")
# Hidden components, without `.` and `..`: files of operating systems, editors and git, which are ignored.
_LITTER = re.compile(r"__MACOSX(?:/.*)?|(?:.*/)?\.(?!\.?(?:/|$)).*", re.DOTALL)
_ENCRYPTED = 0x1
_WINDOWS = (0, 10)  # the systems FAT and NTFS in a zip: some programs there write `\\` between folders
# The bytes of a zip besides its packed files: its end (also of a zip64 file); for each file both heads and a
# descriptor, and extra fields for times, owners or long sizes.
_END_BYTES, _FILE_BYTES, _EXTRA_BYTES = 22 + 56 + 20, 30 + 46 + 24, 2 * 64
_ENTRY = b"PK\x01\x02"  # begins each line of a zip's table of contents
# The exceptions of zipfile and its decompressors for a damaged file.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, NotImplementedError, EOFError),
    *(ValueError, LookupError, ArithmeticError, OSError, RuntimeError),
)


def pack(files: Mapping[str, bytes], runnable: Container[str] = ()) -> bytes:
    """A zip of these files, with the mode of programs for those that are runnable."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = (stat.S_IFREG | (0o755 if name in runnable else 0o600)) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return stream.getvalue()


def unpack(content: bytes, where: str) -> dict[str, bytes]:
    """Every file by its path; an error for a link, a path that leaves the folder, or too much."""
    _require_few(content.count(_ENTRY), where)  # before Python makes an object of each
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _files(archive, len(content), where)
    except _DAMAGED as error:
        raise SubmissionError(f"is not a zip file that can be read: {error}", where=where) from error


def require_path(path: str, where: str) -> None:
    """Refuse a path that is not plain or leaves the folder."""
    if not _PATH.fullmatch(path):
        raise SubmissionError(f"{path[:100]!r} is not a plain path inside a folder", where, fault=OpeningFault.NAME)


def _files(archive: zipfile.ZipFile, size: int, where: str) -> dict[str, bytes]:
    for entry in archive.infolist():
        if entry.create_system in _WINDOWS:
            entry.filename = entry.filename.replace("\\", "/")
    # zipfile's is_dir() fails for an empty name
    found = archive.infolist()
    entries = [each for each in found if not (each.filename.endswith("/") or _LITTER.fullmatch(each.filename))]
    _require_few(len(entries), where)
    # Readers of zips skip bytes before, between and behind the files, and comments.
    if (beside := size - sum(map(_most_bytes, archive.infolist())) - _END_BYTES) > 0:
        raise SubmissionError(f"holds {beside} bytes beside its files", where, fault=OpeningFault.BESIDE)
    files: dict[str, bytes] = {}
    left = LARGEST_TOTAL
    for entry in entries:
        _require_plain(entry, where)
        if entry.filename in files:
            raise SubmissionError(f"holds {entry.filename} twice", where)
        bound = min(LARGEST_FILE, left)
        with archive.open(entry) as stream:
            content = stream.read(bound + 1)  # the entry's own size is untrusted
        if len(content) > bound:
            what = f"{entry.filename} unpacks to more than {bound} bytes"
            raise SubmissionError(what, where, fault=OpeningFault.TOO_LARGE)
        files[entry.filename] = content
        left -= len(content)
    return files


def _most_bytes(entry: zipfile.ZipInfo) -> int:
    return entry.compress_size + 2 * len(entry.filename.encode()) + _FILE_BYTES + (_EXTRA_BYTES if entry.extra else 0)


def _require_few(count: int, where: str) -> None:
    if count > MOST_FILES:
        raise SubmissionError(f"holds {count} files (at most {MOST_FILES})", where, fault=OpeningFault.TOO_LARGE)


def _require_plain(entry: zipfile.ZipInfo, where: str) -> None:
    require_path(entry.filename, where)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise SubmissionError(f"{entry.filename} is a link or a device", where, fault=OpeningFault.LINK)
    if entry.flag_bits & _ENCRYPTED:
        raise SubmissionError(f"{entry.filename} is encrypted", where)


MAGIC = (b"%PDF", b"PK")
SUFFIXES = (".pdf", ".zip")


@dataclass(frozen=True)
class Submission:
    name: str
    pdf: bytes
    files: dict[str, bytes]


def open_submission(place: Path) -> Submission:
    """Open a file or folder; run nothing of it, and write nothing beside it."""
    pdf = _report(place)
    with tempfile.TemporaryDirectory(prefix="lab-open-") as folder:
        file = Path(folder) / "report.pdf"
        file.write_bytes(pdf)
        try:
            files = {path.name: path.read_bytes() for path in extract(file, Path(folder) / "files")}
        except AttachmentError as error:
            raise SubmissionError(error.what, str(place), error.hint, fault=error.fault) from error
    return Submission(place.stem, pdf, files)


def require_kind(place: Path) -> None:
    """Refuse a file that is neither a PDF nor a zip by name or content. A damaged PDF or zip still gets a grade."""
    if not place.exists():
        raise SubmissionError("does not exist", str(place))
    if place.is_dir() or place.suffix.lower() in SUFFIXES:
        return
    if not _read(place, LARGEST_TOTAL).startswith(MAGIC):
        raise SubmissionError("is not a PDF, zip or folder", str(place), "submission/<id>.pdf, as make submit wrote it")


def _report(place: Path) -> bytes:
    """The only PDF: with two, it would be unclear which one counts."""
    if place.is_symlink():
        raise SubmissionError("is a symbolic link", str(place), "the file itself", fault=OpeningFault.LINK)
    if not place.is_dir() and place.suffix.lower() != ".zip":
        return _read(place, LARGEST_PDF)
    files = _folder(place) if place.is_dir() else unpack(_read(place, LARGEST_TOTAL), str(place))
    reports = [content for name, content in files.items() if name.lower().endswith(".pdf")]
    if len(reports) == 1:
        return reports[0]
    fault = OpeningFault.SEVERAL_REPORTS if reports else OpeningFault.NO_REPORT
    raise SubmissionError(f"holds {len(reports)} PDFs (exactly one is needed)", str(place), fault=fault)


def _folder(folder: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    left = LARGEST_TOTAL
    for file in sorted(folder.rglob("*")):
        name, status = str(file.relative_to(folder)), file.lstat()
        if _LITTER.fullmatch(name):
            continue
        require_path(name, str(folder))
        if stat.S_ISDIR(status.st_mode):
            continue
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
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


FORMAT = 1
MOST_IDS, LONGEST = 50, 1000  # of one submission, and letters of each text
PAGE, RECORDS, PROGRAMS = "hand-in.json", "records.zip", "programs.zip"


@dataclass(frozen=True)
class Page:
    assignment: str
    ids: tuple[str, ...]
    draft: tuple[str, ...]  # the reasons why it is a draft; empty for a final submission
    lab: str
    files: dict[str, str]  # name -> sha256
    chain: str  # its last link
    format: int

    def text(self) -> str:
        return json.dumps(asdict(self), indent=1, sort_keys=True) + "\n"

    def last_link(self) -> str:
        """One digest over all: each link digests the link before, a name and its digest; the first digests whose
        submission it is, and for which assignment."""
        link = sha256_of(json.dumps([FORMAT, self.assignment, self.ids, self.draft]).encode())
        for name, digest in sorted(self.files.items()):
            link = sha256_of(f"{link} {name} {digest}".encode())
        return link


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: sha256_of(content) for name, content in sorted(files.items()) if name != PAGE}


def make_page(
    assignment: str, ids: tuple[str, ...], draft: tuple[str, ...], lab: str, files: Mapping[str, bytes]
) -> Page:
    page = Page(assignment, ids, draft, lab, digests(files), "", FORMAT)
    return replace(page, chain=page.last_link())


def read_page(files: Mapping[str, bytes], where: str) -> Page:
    """Read an untrusted page; raise if it is not valid."""
    if PAGE not in files:
        raise SubmissionError(f"holds no {PAGE}", where, "a file that make submit wrote", fault=OpeningFault.NO_DATA)
    try:
        page = parse_as(Page, json.loads(files[PAGE]))
        for text in (page.assignment, page.lab, page.chain, *page.ids, *page.draft, *page.files, *page.files.values()):
            text.encode()  # half of a surrogate pair can be neither written nor digested
            if len(text) > LONGEST:
                raise ValueError(f"{text:.40}... is too long")
        if len(page.ids) > MOST_IDS:
            raise ValueError(f"{plural(len(page.ids), 'id')}")
        return page
    except (ValueError, RecursionError, JsonError) as error:
        raise SubmissionError(f"{PAGE} is not one that make submit wrote: {error!r}", where) from error
