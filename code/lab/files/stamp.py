"""Whether a file is up to date: a stamp beside it holds a digest of its sources and one of the file itself."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from lab.files.storage import write_text


def digest_files(files: Iterable[Path]) -> str:
    """A digest of names and contents; a missing file has a content of its own."""
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes() if file.is_file() else b"none"
        digest.update(os.fsencode(file.name) + f" {len(content)} ".encode() + content)
    return digest.hexdigest()


def is_current(made: Path, stamp: str) -> bool:
    """Whether a file was made from these sources and has not changed since."""
    file = _stamp_file(made)
    return made.is_file() and file.is_file() and file.read_bytes() == f"{stamp} {digest_files([made])}".encode()


def keep_stamp(made: Path, stamp: str) -> None:
    """Write the stamp; call it once the file is in its place."""
    write_text(_stamp_file(made), f"{stamp} {digest_files([made])}")


def _stamp_file(made: Path) -> Path:
    return made.with_name(f".{made.stem}.stamp")
