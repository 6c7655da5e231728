"""Reading and writing files: whole or not at all."""

from __future__ import annotations

import csv
import errno
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.errors import StorageError

FREE = "free some space and run the same command again: finished records are kept"
OWNER = "the checkout's owner runs the same command once; after that all others can"
ELSEWHERE = "a folder of your own"  # the command line adds the option

# Refusals of system calls whose reason a person can change: in words, and what to try.
REFUSALS = {
    errno.ENOSPC: ("the disk is full", FREE),
    errno.EDQUOT: ("the disk is full", FREE),
    errno.EMFILE: ("too many files are open", "ulimit -n 4096, or fewer --jobs"),
    errno.ENFILE: ("too many files are open", "fewer --jobs"),
    errno.EFBIG: ("a file may not grow so large here", "ulimit -f unlimited"),
    errno.EROFS: ("the disk is read-only", ELSEWHERE),
    errno.EACCES: ("permission denied", ELSEWHERE),
    errno.EPERM: ("permission denied", ELSEWHERE),
}


def refusal(error: OSError) -> tuple[str, str]:
    """The refusal in words, and what to try."""
    return REFUSALS.get(error.errno or 0, (error.strerror or str(error), ""))


@contextmanager
def storage(place: Path) -> Iterator[None]:
    """Turn a refusal of the disk into one sentence."""
    try:
        yield
    except OSError as error:
        what, hint = refusal(error)
        raise StorageError(f"cannot be written: {what}", where=str(place), hint=hint) from error


def write_text(file: Path, text: str) -> None:
    """Replace a file whole, or leave it as it was; bytes that are no text are written as numbers."""
    write_bytes(file, text.encode(errors="backslashreplace"))


def write_bytes(file: Path, content: bytes, *, runnable: bool = False) -> None:
    """The same for bytes; a program can be run as soon as it is there."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    with storage(file):
        _require_file(file)
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            beside.write_bytes(content)
            if runnable:
                beside.chmod(0o755)
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)


def _require_file(file: Path) -> None:
    """Refuse all but plain files: a file renamed onto a device replaces it, and root would lose /dev/null."""
    if file.exists() and not file.is_file():
        kind = "folder" if file.is_dir() else "device, a pipe or a socket"
        raise StorageError(f"cannot be written: it is a {kind}", where=str(file))


def csv_text(columns: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """The heads of the columns, then a line for each row; the same bytes on every computer."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((columns, *rows))
    return text.getvalue()
