"""Zips of untrusted files within bounds, and the errors about hand-ins."""

from __future__ import annotations

import io
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Container, Mapping
from dataclasses import dataclass

from lab.errors import LabError
from lab.faults import OpeningFault


@dataclass
class SubmissionError(LabError):
    """A file that was handed in cannot be opened safely."""

    fault: OpeningFault = OpeningFault.UNREADABLE


@dataclass
class SubmissionRefused(LabError):
    """A hand-in is not made, for these reasons."""

    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([self.what, *(f"  {reason}" for reason in self.reasons)])


EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date of the format, so that the bytes don't depend on the time
MOST_FILES = 20_000
LARGEST_FILE, LARGEST_TOTAL = 50 * 2**20, 120 * 2**20
# Components that start with a letter, a digit or _, as people name their files: no folder above, no hidden file, no
# drive, no option, nothing that moves a cursor.
_COMPONENT = r"\w[^/\\:\x00-\x1f\x7f-\x9f]{0,99}"
_PATH = re.compile(rf"(?:{_COMPONENT}/){{0,6}}{_COMPONENT}")
# A component that begins with a point, but no folder above: what computers, editors and git leave behind.
_LITTER = re.compile(r"__MACOSX(?:/.*)?|(?:.*/)?\.(?!\.?(?:/|$)).*", re.DOTALL)
_ENCRYPTED = 0x1
# Of a zip beside its files' packed bytes: its end, also that of a long one; for each file both heads and a descriptor;
# and where a computer noted times, owners or long sizes, so much of that.
_END_BYTES, _EACH_BYTES, _NOTED_BYTES = 22 + 56 + 20, 30 + 46 + 24, 2 * 64
_ENTRY = b"PK\x01\x02"  # begins each line of a zip's table of contents
# What zipfile and the libraries that it unpacks with raise for a damaged one.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, NotImplementedError, EOFError),
    *(ValueError, LookupError, ArithmeticError, OSError, RuntimeError),
)


def pack(files: Mapping[str, bytes], runnable: Container[str] = ()) -> bytes:
    """A zip of these files; some of them can be run."""
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
        raise SubmissionError(f"is no zip file that can be read: {error}", where=where) from error


def is_litter(path: str) -> bool:
    """Whether a computer added the file to a zip or a folder, or it is hidden; the lab ignores such files."""
    return bool(_LITTER.fullmatch(path))


def require_path(path: str, where: str) -> None:
    """Refuse a path that is not plain or leaves the folder."""
    if not _PATH.fullmatch(path):
        raise SubmissionError(f"{path[:100]!r} is no plain path inside a folder", where, fault=OpeningFault.NAME)


def _files(archive: zipfile.ZipFile, size: int, where: str) -> dict[str, bytes]:
    entries = [entry for entry in archive.infolist() if not _is_left_out(entry.filename)]
    _require_few(len(entries), where)
    _require_nothing_beside(archive, size, where)
    files: dict[str, bytes] = {}
    left = LARGEST_TOTAL
    for entry in entries:
        _require_plain(entry, where)
        if entry.filename in files:
            raise SubmissionError(f"holds {entry.filename} twice", where)
        files[entry.filename] = _content(archive, entry, min(LARGEST_FILE, left), where)
        left -= len(files[entry.filename])
    return files


def _require_nothing_beside(archive: zipfile.ZipFile, size: int, where: str) -> None:
    """Readers of zips pass over what stands before, between and behind the files, and in comments."""
    of_files = sum(_bytes_of(each) for each in archive.infolist())
    if (beside := size - of_files - _END_BYTES) > 0:
        raise SubmissionError(f"holds {beside} bytes beside its files", where, fault=OpeningFault.BESIDE)


def _bytes_of(entry: zipfile.ZipInfo) -> int:
    """The most that a file needs in its zip."""
    noted = _NOTED_BYTES if entry.extra else 0
    return entry.compress_size + 2 * len(entry.filename.encode()) + _EACH_BYTES + noted


def _is_left_out(name: str) -> bool:
    """A folder, or litter. zipfile's own is_dir() needs a name."""
    return name.endswith("/") or is_litter(name)


def _require_few(count: int, where: str) -> None:
    if count > MOST_FILES:
        what = f"holds {count} files, at most {MOST_FILES} are taken"
        raise SubmissionError(what, where, fault=OpeningFault.TOO_LARGE)


def _require_plain(entry: zipfile.ZipInfo, where: str) -> None:
    require_path(entry.filename, where)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise SubmissionError(f"{entry.filename} is a link or a device", where, fault=OpeningFault.LINK)
    if entry.flag_bits & _ENCRYPTED:
        raise SubmissionError(f"{entry.filename} is encrypted", where)


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, bound: int, where: str) -> bytes:
    """Read up to the bound, since an entry's own size is a stranger's word."""
    with archive.open(entry) as stream:
        content = stream.read(bound + 1)
    if len(content) > bound:
        raise SubmissionError(
            f"{entry.filename} unpacks to more than {bound} bytes", where, fault=OpeningFault.TOO_LARGE
        )
    return content
