"""A .deb laid under a folder without dpkg and without rights: an ar archive with one tar file of the package's files.

Nothing is written outside of the folder or through a link, nothing belongs to somebody else, no program gains rights.
"""

from __future__ import annotations

import lzma
import tarfile
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, cast

import zstandard

from lab.errors import SiteError
from lab.files.storage import storage

MAGIC = b"!<arch>\n"
HEADER_BYTES, END = 60, b"`\n"  # of a member: ar(5)
COMPRESSED = {"data.tar": "", "data.tar.gz": "gz", "data.tar.xz": "xz", "data.tar.zst": "zst"}
MOST_BYTES, MOST_MEMBERS = 2 << 30, 200_000  # of one package, unpacked: a kernel has 0.4 GB in 4,500 files
ZSTD_WINDOW = 128 << 20  # bytes of memory that a stranger's stream may ask for
DAMAGED = (tarfile.TarError, EOFError, ValueError, lzma.LZMAError, zlib.error, zstandard.ZstdError)


class PackageDamaged(SiteError):
    """A package that cannot be unpacked, or must not be."""


def unpack(package: Path, root: Path) -> list[str]:
    """Lay a package's files under root, and say what they are called there; nothing of it is run."""
    names: list[str] = []
    try:
        with package.open("rb") as file, opened(file) as archive:
            total = 0
            for member in archive:
                total += member.size
                if len(names) >= MOST_MEMBERS or total > MOST_BYTES:
                    raise PackageDamaged(f"has more than {MOST_BYTES >> 30} GiB or {MOST_MEMBERS} files")
                names.append(str(lay(archive, member, root).relative_to(root)))
    except PackageDamaged as error:
        raise PackageDamaged(error.what, str(package), error.hint) from error
    except DAMAGED as error:
        raise PackageDamaged(f"is no package that can be unpacked ({error})", str(package)) from error
    return names


@contextmanager
def unpacked(packages: Iterable[Path], beside: Path) -> Iterator[Path]:
    """A folder with the files of some packages, gone after the block; on the same disk as what is made of it."""
    with tempfile.TemporaryDirectory(dir=beside) as name:
        for package in packages:
            unpack(package, Path(name))
        yield Path(name)


@contextmanager
def opened(file: IO[bytes]) -> Iterator[tarfile.TarFile]:
    """The tar file of the package's own files, read once from its beginning."""
    kind = COMPRESSED[seek_data(file)]
    if kind == "zst":
        decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
        with decompressor.stream_reader(file) as plain, tarfile.open(fileobj=plain, mode="r|") as archive:
            yield archive
    else:
        with tarfile.open(fileobj=file, mode=f"r|{kind}") as archive:  # type: ignore[call-overload]
            yield cast("tarfile.TarFile", archive)


def seek_data(file: IO[bytes]) -> str:
    """Go to where the package's files begin, and say which member that is."""
    if file.read(len(MAGIC)) != MAGIC:
        raise PackageDamaged("is no .deb")
    while len(header := file.read(HEADER_BYTES)) == HEADER_BYTES and header.endswith(END):
        name, size = header[:16].decode("ascii", "replace").rstrip(" ").rstrip("/"), int(header[48:58])
        if name in COMPRESSED:
            return name
        file.seek(size + size % 2, 1)
    raise PackageDamaged(f"has none of {', '.join(COMPRESSED)}")


def lay(archive: tarfile.TarFile, member: tarfile.TarInfo, root: Path) -> Path:
    """Write one member, a folder, a file, or a link; where it lies."""
    target = inside(root, member.name)
    with storage(target):
        if member.isdir():
            target.mkdir(parents=True, exist_ok=True)
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_symlink() or target.is_file():
            target.unlink()
        if member.issym():
            target.symlink_to(member.linkname)
        elif member.islnk():
            target.hardlink_to(linked(root, member.linkname))
        elif member.isreg():
            write(archive, member, target)
        else:
            raise PackageDamaged(f"holds a device or a pipe: {member.name!r}")
    return target


def inside(root: Path, name: str) -> Path:
    """The place of a member under root; no folder on the way may be a link."""
    path = PurePosixPath(name.removeprefix("./"))
    if path.is_absolute() or ".." in path.parts:
        raise PackageDamaged(f"holds a path that leads out of it: {name!r}")
    for folder in list(path.parents)[:-1]:
        if (root / folder).is_symlink():
            raise PackageDamaged(f"writes through a link: {name!r}")
    return root / path


def linked(root: Path, name: str) -> Path:
    """The file of which a member is another name."""
    source = inside(root, name)
    if source.is_symlink() or not source.is_file():
        raise PackageDamaged(f"links to what it does not hold: {name!r}")
    return source


def write(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    """A file's bytes, readable by all; of its rights only whether it can be run."""
    content = archive.extractfile(member)
    assert content is not None
    with target.open("xb") as file:
        while piece := content.read(1 << 20):
            file.write(piece)
    target.chmod(0o755 if member.mode & 0o100 else 0o644)
