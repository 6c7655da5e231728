"""Folders of the cache: made by one process at a time, there whole or not at all."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process, however it ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def put_folder(target: Path, *, replace: bool = False) -> Iterator[Path | None]:
    """A folder to fill, renamed to its target when the block ends well; None where the target is there already."""
    if target.exists() and not replace:
        yield None
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    # A process that was killed leaves its folder behind; the lock's holder is the only one who may have one.
    for left in target.parent.glob(f"{target.name}.making-*"):
        shutil.rmtree(left)
    folder = Path(tempfile.mkdtemp(prefix=f"{target.name}.making-", dir=target.parent))
    try:
        yield folder
        if target.exists():
            shutil.rmtree(target)
        folder.rename(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
