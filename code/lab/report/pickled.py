"""Values of this checkout, kept for the next report.

It is Python's own format, which runs what it holds: so it is read from this checkout's cache alone, and only as long as
a stamp beside it says that it was written here.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from pathlib import Path

from lab.errors import StorageError
from lab.files.stamp import is_current, keep_stamp
from lab.files.storage import write_bytes


def read_pickled(file: Path, stamp: str) -> object:
    """What was kept with this stamp, or None."""
    return pickle.loads(file.read_bytes()) if is_current(file, stamp) else None


def keep_pickled(value: object, file: Path, stamp: str) -> None:
    """Unless that is done; nothing is kept where one may not write."""
    if is_current(file, stamp):
        return
    with suppress(StorageError):
        write_bytes(file, pickle.dumps(value))
        keep_stamp(file, stamp)
