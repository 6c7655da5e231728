"""A .deb unpacked into a folder without dpkg and without root: an ar archive with one tar file of the package's files.

A package's bytes are those of the lock, which Debian signed. Nothing of it is run, is written outside the folder,
belongs to somebody else, or gains rights.
"""

import lzma
import re
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import zstandard

from lab.errors import SiteError
from lab.files.storage import storage

MAGIC = b"!<arch>\n"
HEADER_BYTES, END = 60, b"`\n"  # of a member: ar(5)
UNPACKING = "unpacking-"
COMPRESSED = {"data.tar": "", "data.tar.gz": "gz", "data.tar.xz": "xz", "data.tar.zst": "zst"}
# Nothing of these is ever used: a third of all files of the locked packages.
SKIPPED = re.compile(
    r"(\./)?usr/(share/(doc|man|locale|info|lintian|bug)/.|src/linux-headers-[^/]+/include/config/[A-Z]+)"
)
DAMAGED = (tarfile.TarError, EOFError, ValueError, lzma.LZMAError, zlib.error, zstandard.ZstdError)


class PackageDamaged(SiteError):
    """A package that cannot be unpacked, or must not be."""


@contextmanager
def unpacked(packages: Iterable[Path], beside: Path) -> Iterator[Path]:
    """A folder with the files of some packages, removed after the block; on the same disk as the folder `beside`, of
    which the caller holds the lock."""
    for left in beside.glob(f"{UNPACKING}*"):  # by a command that was killed or interrupted
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=UNPACKING, dir=beside, ignore_cleanup_errors=True) as name:
        for package in packages:
            unpack(package, Path(name))
        yield Path(name)


def unpack(package: Path, root: Path) -> list[str]:
    """Write a package's files under root, without those that are skipped; return their paths there."""
    try:
        with package.open("rb") as file, _opened(file) as archive:
            return [_write(archive, each, root) for each in archive if not SKIPPED.match(each.name)]
    except PackageDamaged as error:
        raise PackageDamaged(error.what, str(package), error.hint) from error
    except DAMAGED as error:
        raise PackageDamaged(f"cannot be unpacked ({error})", str(package)) from error


@contextmanager
def _opened(file: IO[bytes]) -> Iterator[tarfile.TarFile]:
    """The tar file of the package's own files, read once from its beginning."""
    kind = COMPRESSED[_seek_data(file)]
    if kind == "zst":
        with zstandard.ZstdDecompressor().stream_reader(file) as plain, tarfile.open(fileobj=plain, mode="r|") as tar:
            yield tar
    else:
        with tarfile.open(fileobj=file, mode=f"r|{kind}") as tar:  # type: ignore[call-overload]
            yield cast("tarfile.TarFile", tar)


def _seek_data(file: IO[bytes]) -> str:
    """Go to the beginning of the package's files; return that member's name."""
    if file.read(len(MAGIC)) != MAGIC:
        raise PackageDamaged("is not a .deb")
    while len(header := file.read(HEADER_BYTES)) == HEADER_BYTES and header.endswith(END):
        name, size = header[:16].decode("ascii", "replace").rstrip(" ").rstrip("/"), int(header[48:58])
        if name in COMPRESSED:
            return name
        file.seek(size + size % 2, 1)
    raise PackageDamaged(f"has none of {', '.join(COMPRESSED)}")


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, root: Path) -> str:
    """Write a folder, a file or a link; of a file's rights keep only whether it can be run."""
    target = _inside(root, member.name)
    with storage(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        if not member.isdir() and (target.is_symlink() or target.is_file()):
            target.unlink()
        if member.isdir():
            target.mkdir(exist_ok=True)
        elif member.issym():
            target.symlink_to(member.linkname)
        elif member.islnk():
            target.hardlink_to(_inside(root, member.linkname))
        elif content := archive.extractfile(member):
            with target.open("xb") as file:
                shutil.copyfileobj(content, file)
            target.chmod(0o755 if member.mode & 0o100 else 0o644)
        else:
            raise PackageDamaged(f"contains a device or a pipe: {member.name!r}")
    return str(target.relative_to(root))


def _inside(root: Path, name: str) -> Path:
    """The path of a member under root; raise if links or .. lead out of it."""
    target = root / name
    if target.name == ".." or not (target == root or target.parent.resolve().is_relative_to(root.resolve())):
        raise PackageDamaged(f"contains a path that leads out of it: {name!r}")
    return target
