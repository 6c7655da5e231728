"""The lock of a key: one running process measures a trial, so that two runs on one results folder share the work."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lab.files.storage import storage


@contextmanager
def trial_lock(results: Path, key: str) -> Iterator[bool]:
    """Whether this process holds the key's lock until the end of the block. The kernel frees a dead process's lock."""
    file = results / "locks" / key
    with storage(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _lock(file)
    if descriptor is None:
        yield False
        return
    try:
        yield True
    finally:
        try:
            file.unlink(missing_ok=True)
        finally:
            os.close(descriptor)


def _lock(file: Path) -> int | None:
    """A locked descriptor of the file that has the name now: another process may remove the file while we open it."""
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        with suppress(FileNotFoundError):
            if os.fstat(descriptor).st_ino == file.stat().st_ino:
                return descriptor
        os.close(descriptor)
