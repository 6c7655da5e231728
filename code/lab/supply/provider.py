"""The interface of providers of packages, and the ways in which one can fail."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from lab.files.digests import sha256
from lab.files.storage import storage
from lab.supply.lock import Locked
from lab.supply.progress import Fetching


class Lacks(Exception):
    """A provider does not give this package; it may have others."""


class Gone(Lacks):
    """A provider does not answer at all, so that it need not be asked for the next package."""


class Part:
    """The bytes of a package that have come so far, in a file that outlives an interrupted command."""

    def __init__(self, file: Path, locked: Locked, progress: Fetching) -> None:
        self.file, self.locked, self.progress = file, locked, progress
        self.length = min(file.stat().st_size, locked.size_bytes) if file.exists() else 0
        progress.add(self.length)

    @property
    def is_complete(self) -> bool:
        """True if the number of bytes is right; the bytes may be wrong."""
        return self.length == self.locked.size_bytes

    def restart(self) -> None:
        """Forget what has come."""
        self.progress.add(-self.length)
        self.length = 0

    def add(self, piece: bytes) -> None:
        """Write what came next."""
        if self.length + len(piece) > self.locked.size_bytes:
            raise Lacks(f"gives more than the {self.locked.size_bytes} bytes that it has")
        with storage(self.file), self.file.open("r+b" if self.file.exists() else "wb") as file:
            file.seek(self.length)
            file.write(piece)
            file.truncate()
        self.length += len(piece)
        self.progress.add(len(piece))

    def is_right(self) -> bool:
        """True if these are the locked bytes."""
        return self.is_complete and self.file.exists() and sha256(self.file) == self.locked.sha256


class Provider(Protocol):
    """One who may have packages."""

    @property
    def name(self) -> str:
        """As an error names it: without a password."""

    def fetch(self, part: Part, date: str) -> None:
        """Add what a part lacks, or say why not by Lacks."""
