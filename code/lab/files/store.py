"""Folders of the cache: made by one process at a time, there whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.errors import SiteError
from lab.files.digests import Digest, damage, seal, sha256
from lab.files.storage import OWNER, refusal


class StoreError(SiteError):
    """The cache cannot be written or read."""


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process, however it ends."""
    with stored(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def stored(target: Path, done: str = "written") -> Iterator[None]:
    """Turn a full disk, or any other refusal to write or read a target, into one sentence."""
    try:
        yield
    except OSError as error:
        what, hint = refusal(error)
        denied = isinstance(error, PermissionError) or error.errno == errno.EROFS
        raise StoreError(f"cannot be {done}: {what}", str(target), OWNER if denied else hint) from error


@contextmanager
def put_folder(target: Path, *, replace: bool = False, digest: Digest = sha256) -> Iterator[Path | None]:
    """A folder to fill, renamed to its target with its digests when the block ends well, for every user to read; None
    where the target is there already."""
    if target.exists() and not replace:
        yield None
        return
    with stored(target):
        # A killed process leaves its temporary folder; we hold the lock, so any such folder is stale.
        for left in target.parent.glob(f"{target.name}.making-*"):
            shutil.rmtree(left)
        folder = Path(tempfile.mkdtemp(prefix=f"{target.name}.making-", dir=target.parent))
        try:
            yield folder
            seal(folder, digest)
            folder.chmod(0o777 & ~_umask())
            if target.exists():
                shutil.rmtree(target)
            folder.rename(target)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def damage_of(folder: Path, digest: Digest = sha256) -> str:
    """What is wrong with a folder that was put here, in words; empty if it is whole."""
    with stored(folder, "read"):
        return damage(folder, digest)


def _umask() -> int:
    """The process's umask, from /proc: umask(2) can only read it by setting it, which other threads would see."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("Umask:")).split()[1], 8)


def prune(folder: Path, kept: int) -> None:
    """Remove all folders in it but the newest."""
    by_age = sorted((each for each in folder.iterdir() if each.is_dir()), key=lambda each: each.stat().st_mtime_ns)
    for old in by_age[: max(0, len(by_age) - kept)]:
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def put_file(target: Path) -> Iterator[Path]:
    """A file to write, renamed to its target when the block ends well."""
    making = target.with_name(f"{target.name}.making")
    with stored(target):
        try:
            yield making
            making.rename(target)
        finally:
            making.unlink(missing_ok=True)
