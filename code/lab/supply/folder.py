"""Packages that lie in a folder, or in one file that a course hands out."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO

from lab.supply.lock import Locked
from lab.supply.provider import Gone, Lacks, Part

PIECE_BYTES = 1 << 20


def names(locked: Locked) -> tuple[str, ...]:
    """The names of a package: in the store, from apt, in a mirror."""
    return f"{locked.sha256}.deb", locked.file, locked.path


def copy(source: IO[bytes], part: Part) -> None:
    """Add what a part lacks."""
    source.seek(part.length)
    while piece := source.read(PIECE_BYTES):
        part.add(piece)
    if not part.is_complete:
        raise Lacks(f"has {part.length} bytes there instead of {part.locked.size_bytes}")


@dataclass(frozen=True)
class LocalFolder:
    """A folder of packages: a course's, a copy of a store, a mirror's tree."""

    folder: Path

    @property
    def name(self) -> str:
        """As it was typed."""
        return str(self.folder)

    def fetch(self, part: Part, _: str) -> None:
        """Copy it."""
        files = (self.folder / name for name in names(part.locked))
        try:
            file = next((each for each in files if each.is_file()), None)
            if file is None:
                raise Lacks("does not have it") if self.folder.is_dir() else Gone("is not there")
            with file.open("rb") as opened:
                copy(opened, part)
        except OSError as error:
            raise Lacks(f"cannot be read ({error.strerror})") from error


@dataclass(frozen=True)
class TarFile:
    """A tar file of packages, in whatever folders; nothing of it is unpacked but the bytes that were asked for."""

    file: Path

    @property
    def name(self) -> str:
        """As it was typed."""
        return str(self.file)

    @cached_property
    def members(self) -> dict[str, tarfile.TarInfo]:
        """Its plain files, by their names without folders."""
        with tarfile.open(self.file, "r:") as archive:
            return {each.name.rpartition("/")[2]: each for each in archive if each.isreg()}

    def fetch(self, part: Part, _: str) -> None:
        """Copy the member."""
        with self.opened(part.locked) as opened:
            copy(opened, part)

    @contextmanager
    def opened(self, locked: Locked) -> Iterator[IO[bytes]]:
        """The member that holds a package."""
        try:
            member = next((self.members[name] for name in names(locked) if name in self.members), None)
            if member is None:
                raise Lacks("does not have it")
            with tarfile.open(self.file, "r:") as archive:
                content = archive.extractfile(member)
                assert content is not None
                yield content
        except (OSError, EOFError, tarfile.TarError) as error:
            raise Gone(f"cannot be read ({getattr(error, 'strerror', None) or error})") from error
