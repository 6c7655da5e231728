"""One file of many: a compressed tar whose first member says all others, with their sizes and digests.

The same files give the same bytes. One that comes from a stranger is read within bounds, and holds what it says or is
refused.
"""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import zstandard

from lab.errors import SiteError
from lab.files.store import put_file, stored
from lab.machine.sparse import NOTHING, digest_with_holes
from lab.typed_json import JsonError, as_json, parse_as

FORMAT = "lab-machine 1"
MANIFEST, MANIFEST_LIMIT, MOST_MEMBERS = "contents.json", 1 << 20, 200
NAME = re.compile(r"[a-z]+(?:/[A-Za-z0-9_+-][A-Za-z0-9_.+-]*){0,2}", re.ASCII)
LEVEL, WINDOW_BYTES = 9, 128 << 20
# Other numbers of threads, and no checksum, are other bytes for the same files.
COMPRESSION = zstandard.ZstdCompressionParameters.from_level(LEVEL, threads=1, write_checksum=1)
DAMAGED = (tarfile.TarError, EOFError, ValueError, RecursionError, zstandard.ZstdError, JsonError)
HINT = "lab image export FILE makes one; fetch it again if it was whole"


class ArchiveError(SiteError):
    """A file that is no such archive, or holds what it must not."""


@dataclass(frozen=True)
class Member:
    """A file of an archive, as its first member says it."""

    size: int
    digest: str  # of what is not zero, and where it stands


@dataclass(frozen=True)
class Contents:
    """The first member."""

    format: str
    about: Mapping[str, str]  # what the maker says of the whole
    members: Mapping[str, Member]


def write(file: Path, files: Mapping[str, Path], about: Mapping[str, str]) -> int:
    """Put files into one under their names; its bytes."""
    members = {name: Member(each.stat().st_size, digest_with_holes(each)) for name, each in sorted(files.items())}
    text = json.dumps(as_json(Contents(FORMAT, about, members)), indent=1, sort_keys=True).encode() + b"\n"
    with put_file(file) as making, making.open("wb") as raw:
        compressor = zstandard.ZstdCompressor(compression_params=COMPRESSION)
        with (
            compressor.stream_writer(raw, closefd=False) as packed,
            tarfile.open(fileobj=packed, mode="w|", format=tarfile.GNU_FORMAT) as archive,
        ):
            archive.addfile(_header(MANIFEST, len(text)), io.BytesIO(text))
            for name, member in members.items():
                with files[name].open("rb") as content:
                    archive.addfile(_header(name, member.size), content)
    return file.stat().st_size


def _header(name: str, size: int) -> tarfile.TarInfo:
    """A member without time or owner."""
    info = tarfile.TarInfo(name)
    info.size = size
    return info


def contents(file: Path) -> Contents:
    """What an archive says that it holds."""
    with _opened(file) as archive:
        return _contents(archive)


def unpack(file: Path, limit: Callable[[str], int], folder: Path) -> Contents:
    """Lay all members under a folder, each within its limit and with its digest; a limit of 0 refuses a name."""
    with _opened(file) as archive:
        found = _contents(archive)
        for name, member in found.members.items():
            if member.size > limit(name):
                what = "is not a part of a machine" if not limit(name) else f"has more than {limit(name)} bytes"
                raise ArchiveError(f"{name} {what}")
        for name, member in found.members.items():
            target = folder / name
            with stored(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                _lay(_next(archive, name, member.size), target, member)
    return found


@contextmanager
def _opened(file: Path) -> Iterator[tarfile.TarFile]:
    """An archive, read once from its beginning; whatever is wrong with it is one sentence. A pipe is not waited for."""
    if not file.is_file():
        raise ArchiveError("is no file" if file.exists() else "is not there", str(file), HINT)
    decompressor = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES)
    try:
        with (
            file.open("rb") as raw,
            decompressor.stream_reader(raw) as plain,
            tarfile.open(fileobj=plain, mode="r|") as archive,
        ):
            yield archive
    except DAMAGED as error:
        raise ArchiveError(f"is no exported machine ({error})", str(file), HINT) from error
    except ArchiveError as error:
        raise ArchiveError(error.what, str(file), error.hint or HINT) from error


def _contents(archive: tarfile.TarFile) -> Contents:
    """The first member, checked as far as it can be by itself."""
    found = parse_as(Contents, json.loads(_next(archive, MANIFEST, MANIFEST_LIMIT, exactly=False)()))
    if found.format != FORMAT:
        raise ArchiveError(f"has the format {found.format[:40]!r}, and this lab reads {FORMAT!r}")
    names = [name for name in found.members if not NAME.fullmatch(name)]
    if names or len(found.members) > MOST_MEMBERS:
        raise ArchiveError(f"{names[0][:80]!r} is no name here" if names else f"has more than {MOST_MEMBERS} members")
    if wrong := [name for name, member in found.members.items() if member.size < 0]:
        raise ArchiveError(f"{wrong[0]} has fewer than no bytes")
    return found


Pieces = Callable[[], bytes]  # gives what comes next of a member, nothing at its end


def _next(archive: tarfile.TarFile, name: str, size: int, *, exactly: bool = True) -> Pieces:
    """The archive's next member, which must be a plain file of this name and size."""
    info = archive.next()
    if info is None or info.name != name or not info.isreg() or info.sparse is not None:
        raise ArchiveError(f"expected the file {name} there")
    if info.size > size or (exactly and info.size != size):
        raise ArchiveError(f"{name} has {info.size} bytes instead of {size}")
    content = archive.extractfile(info)
    assert content is not None
    return lambda: content.read(len(NOTHING) if exactly else size)


def _lay(pieces: Pieces, target: Path, member: Member) -> None:
    """Write a member, with holes where it is nothing but zeros."""
    with target.open("xb") as file:
        while piece := pieces():
            if piece == NOTHING[: len(piece)]:
                file.seek(len(piece), 1)
            else:
                file.write(piece)
        file.truncate(member.size)
    if target.stat().st_size != member.size or digest_with_holes(target) != member.digest:
        raise ArchiveError(f"{target.name} is not what {MANIFEST} says")
