"""Digests of files, stamps, and a cache of files and folders by digest."""

import errno
import fcntl
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from lab.errors import SiteError, Tell
from lab.files.storage import OWNER, refusal, write_text

SUMS = "digests"  # in the format of sha256sum(1): `sha256sum --check digests` checks a record or an image too
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)", re.ASCII)
LARGEST = 1 << 22  # bytes of such a file

Digest = Callable[[Path], str]


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def sums_of(digests: Mapping[str, str]) -> bytes:
    """The text of a file of digests, given by name."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())).encode()


def held(folder: Path) -> set[str]:
    """The paths of all files and of empty folders below a folder, without its file of digests."""
    found = (each for each in folder.rglob("*") if each.is_symlink() or not each.is_dir() or not any(each.iterdir()))
    return {str(each.relative_to(folder)) for each in found} - {SUMS}


def seal(folder: Path, digest: Digest = sha256) -> None:
    (folder / SUMS).write_bytes(sums_of({name: digest(folder / name) for name in held(folder)}))


def read_sums(folder: Path) -> dict[str, str]:
    """The digests by name; none if the file has anything else."""
    if not (folder / SUMS).is_file():  # a pipe would be waited for
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder / SUMS))
    with (folder / SUMS).open("rb") as file:
        lines = [_LINE.fullmatch(line) for line in file.read(LARGEST).decode(errors="replace").splitlines()]
    return {line[2]: line[1] for line in lines if line} if all(lines) else {}


def folder_digest(folder: Path) -> str:
    """One digest of all files in a folder and of their names; the same whether or not they are sealed."""
    digests = {each.name: sha256(each) for each in folder.iterdir() if each.name != SUMS}
    return sha256_of(sums_of(digests))


def damage(folder: Path, digest: Digest = sha256) -> str:
    """The first difference from the digests; empty if there is none."""
    try:
        written = read_sums(folder)
    except FileNotFoundError:
        return f"{SUMS} is missing"
    if not written:
        return f"{SUMS} has no digests"
    for name in sorted(held(folder) ^ written.keys()):
        return f"{name} is {'missing' if name in written else 'not in ' + SUMS}"
    for name, was in written.items():
        if not (folder / name).is_file() or digest(folder / name) != was:
            return f"{name} is not what was written"
    return ""


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold a lock, which also ends with the process."""
    with stored(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def take(lock: TextIO, kind: int, tell: Tell, what: str) -> None:
    """Take a lock of an open file; if another process has it, say what is waited for."""
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        tell(f"waiting for {what}")
        fcntl.flock(lock, kind)


@contextmanager
def stored(target: Path, done: str = "written") -> Iterator[None]:
    """Turn an OSError about a target into a SiteError."""
    try:
        yield
    except OSError as error:
        what, hint = refusal(error)
        denied = isinstance(error, PermissionError) or error.errno == errno.EROFS
        raise SiteError(f"cannot be {done}: {what}", str(target), OWNER if denied else hint) from error


@contextmanager
def put_folder(target: Path, digest: Digest = sha256) -> Iterator[Path]:
    """A folder to fill, which gets its digests and replaces the target when the block ends well. Every user may read
    it."""
    with stored(target):
        # A killed process leaves its temporary folder; we hold the lock, so any such folder is stale.
        for left in target.parent.glob(f"{target.name}.making-*"):
            shutil.rmtree(left)
        folder = Path(tempfile.mkdtemp(prefix=f"{target.name}.making-", dir=target.parent))
        try:
            yield folder
            seal(folder, digest)
            folder.chmod(0o755)
            if target.exists():
                shutil.rmtree(target)
            folder.rename(target)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def damage_of(folder: Path, digest: Digest = sha256) -> str:
    """The damage of a folder of the store; empty if it is whole."""
    with stored(folder, "read"):
        return damage(folder, digest)


def fill_once(target: Path, kept: int, prepare: Callable[[str], Callable[[Path], None]]) -> None:
    """Fill a folder that is missing or damaged, once among all processes and threads; then prune its neighbours, if
    `kept` is not 0. `prepare` gets what is wrong with the folder, and returns the function that fills it."""
    if not damage_of(target):
        return
    with exclusive(target.with_name("lock")):
        if fault := damage_of(target):  # another process or thread may have filled it meanwhile
            fill = prepare(fault)
            with put_folder(target) as folder:
                fill(folder)
        if kept:
            prune(target.parent, kept)


def prune(folder: Path, kept: int) -> None:
    """Remove all but the newest folders in a folder."""
    by_age = sorted((each for each in folder.iterdir() if each.is_dir()), key=lambda each: each.stat().st_mtime_ns)
    for old in by_age[: max(0, len(by_age) - kept)]:
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def put_file(target: Path) -> Iterator[Path]:
    """A file to write, which gets the target's name when the block ends well."""
    making = target.with_name(f"{target.name}.making")
    with stored(target):
        try:
            yield making
            making.rename(target)
        finally:
            making.unlink(missing_ok=True)


def digest_files(files: Iterable[Path]) -> str:
    """A digest of names and contents; a missing file counts as different from every content."""
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes() if file.is_file() else b"none"
        digest.update(os.fsencode(file.name) + f" {len(content)} ".encode() + content)
    return digest.hexdigest()


def is_current(made: Path, stamp: str) -> bool:
    """Whether a file has this stamp and has not changed since."""
    file = _stamp_file(made)
    return made.is_file() and file.is_file() and file.read_bytes() == f"{stamp} {digest_files([made])}".encode()


def keep_stamp(made: Path, stamp: str) -> None:
    write_text(_stamp_file(made), f"{stamp} {digest_files([made])}")


def _stamp_file(made: Path) -> Path:
    return made.with_name(f".{made.stem}.stamp")
