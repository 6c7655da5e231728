"""Writing files, whole or not at all."""

import csv
import errno
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.errors import StorageError

FREE = "free some space and run the same command again; finished records are kept"
OWNER = "let the checkout's owner run the same command once; then all users can"
ELSEWHERE = "a folder that you can write to"  # the command line adds the option

# Refusals of system calls that a person can resolve, each with what to try.
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
    """The reason, and what to try."""
    return REFUSALS.get(error.errno or 0, (error.strerror or str(error), ""))


@contextmanager
def storage(place: Path) -> Iterator[None]:
    """Turn an OSError into a StorageError."""
    try:
        yield
    except OSError as error:
        what, hint = refusal(error)
        raise StorageError(f"cannot be written: {what}", where=str(place), hint=hint) from error


def write_text(file: Path, text: str) -> None:
    """Replace a file whole, or leave it as it was; bytes that are not text are escaped."""
    write_bytes(file, text.encode(errors="backslashreplace"))


def write_bytes(file: Path, content: bytes, *, runnable: bool = False) -> None:
    """Replace a file whole, or leave it as it was."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    with storage(file):
        # Refuse to replace anything but plain files, such as /dev/null, which root could replace.
        if file.exists() and not file.is_file():
            kind = "folder" if file.is_dir() else "device, a pipe or a socket"
            raise StorageError(f"cannot be written: it is a {kind}", where=str(file))
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            beside.write_bytes(content)
            if runnable:
                beside.chmod(0o755)
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)


def csv_text(columns: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table as CSV, with the same bytes on every host."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((columns, *rows))
    return text.getvalue()
