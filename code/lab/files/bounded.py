"""Untrusted texts and archives, read within bounds."""

import csv
import io
import os
import re
import stat
import tarfile
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO

from lab.errors import SpecError

MOST_BYTES = 1 << 20  # of a typed text; the longest of the repository has ten thousand
BOM = "\ufeff"
KINDS = {
    stat.S_IFDIR: "is a folder",
    stat.S_IFIFO: "is a pipe",
    stat.S_IFCHR: "is a device",
    stat.S_IFBLK: "is a device",
    stat.S_IFSOCK: "is a socket",
}


class TooLarge(SpecError):
    """A file with more bytes than are read."""


def read_typed(file: Path, hint: str = "") -> str:
    """The text of a file; raise a SpecError for anything but UTF-8 text."""
    content = read_bounded(file, MOST_BYTES, hint)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"is not UTF-8 text: byte 0x{content[error.start]:02x}"
        raise SpecError(what, file=file, line=line, hint="save it as UTF-8") from error
    if text.startswith(BOM):
        what = "begins with a byte order mark (BOM)"
        raise SpecError(what, file=file, line=1, hint="save it as UTF-8 without BOM")
    return text


def read_bounded(file: Path, most: int, hint: str = "") -> bytes:
    """The bytes of a regular file of at most `most` bytes."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK)  # no wait for a pipe without a writer
        if kind := KINDS.get(stat.S_IFMT(os.fstat(descriptor).st_mode)):
            os.close(descriptor)
            raise SpecError(f"{kind}, not a file", file=file, hint=hint)
        with os.fdopen(descriptor, "rb") as stream:
            content = stream.read(most + 1)
    except FileNotFoundError as error:
        raise SpecError("is not there", file=file, hint=hint) from error
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SpecError(f"cannot be read: {reason}", file=file, hint=hint) from error
    if len(content) > most:
        raise TooLarge(f"is too large (at most {most} bytes)", file=file)
    return content


# A tab and a line's end can be printed. U+202A to E and U+2066 to 9 change the order in which text is read.
UNPRINTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
AS_CSV = "save it as CSV in UTF-8"


def read_csv(file: Path, hint: str = "") -> Iterator[tuple[int, list[str]]]:
    """Each row of a typed table with its line. Spreadsheets write a byte order mark, and semicolons in some
    countries."""
    try:
        text = read_bounded(file, MOST_BYTES, hint).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise SpecError("is not UTF-8 text", file=file, hint=AS_CSV) from error
    if strange := UNPRINTED.search(text):
        what = f"contains U+{ord(strange[0]):04X}, which cannot be printed"
        line = text.count("\n", 0, strange.start()) + 1
        raise SpecError(what, file=file, line=line, hint="remove the character")
    head = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text), delimiter=";" if head.count(";") > head.count(",") else ",", strict=True)
    width = 0
    try:
        for row in filter(None, rows):
            width = width or len(row)
            if len(row) > width:
                raise SpecError("this line has more cells than the first", file=file, line=rows.line_num, hint=AS_CSV)
            yield rows.line_num, [*map(str.strip, row), *[""] * (width - len(row))]
    except csv.Error as error:
        raise SpecError(f"is not CSV: {error}", file=file, line=rows.line_num, hint=AS_CSV) from error


MOST_MEMBERS = 4096


def pack(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mode = 0o755 if content.startswith(b"#!") else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def unpack(stream: IO[bytes], largest: int) -> dict[str, bytes]:
    """The plain files of an archive by name, without links and without sparse files, which are large in memory."""
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=stream, mode="r:") as archive:
            for member in islice(archive, MOST_MEMBERS):
                content = archive.extractfile(member) if member.isreg() and member.sparse is None else None
                if content is not None and member.size <= largest:
                    found[member.name.removeprefix("./")] = content.read()
    except (EOFError, ValueError, RecursionError) as error:  # hostile headers cause these
        raise tarfile.ReadError(str(error)) from error
    return found
