"""Files that are there whole or not at all; what a disk can refuse, as one sentence."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.errors import StorageError


@contextmanager
def storage(place: Path) -> Iterator[None]:
    """Turn what a disk can refuse into one sentence."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        what = "the disk is full" if full else f"cannot be written: {error.strerror}"
        hint = "free some space and run the same command again: finished records are kept" if full else "--results DIR"
        raise StorageError(what, where=str(place), hint=hint) from error


def write_text(file: Path, text: str) -> None:
    """Replace a file whole, or leave it as it was."""
    write_bytes(file, text.encode())


def write_bytes(file: Path, content: bytes, *, runnable: bool = False) -> None:
    """The same of what is no text; a program can be run as soon as it is there."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    with storage(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            beside.write_bytes(content)
            if runnable:
                beside.chmod(0o755)
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)
