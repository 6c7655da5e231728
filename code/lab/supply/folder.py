"""Packages in a folder."""

from __future__ import annotations

from dataclasses import dataclass
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
