"""What a disk can refuse, as one sentence."""

from __future__ import annotations

import errno
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
