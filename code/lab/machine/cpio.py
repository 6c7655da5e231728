"""The newc archive that the kernel unpacks as its first file system.

Written here because cpio(1) copies what differs between file systems (link counts of folders) and archives must be
equal in any checkout: the same files give the same bytes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

FILE, FOLDER = 0o100000, 0o040000
TRAILER = "TRAILER!!!"
MAGIC, HEADER_BYTES = b"070701", 110


@dataclass(frozen=True)
class Entry:
    """A regular file of the archive."""

    content: bytes
    executable: bool = False


def pad(data: bytes) -> bytes:
    """Fill up to the format's alignment."""
    return data + bytes(-len(data) % 4)


def member(number: int, path: str, mode: int, content: bytes) -> bytes:
    """One header and its content: owner root, time 0. See the kernel's buffer-format documentation."""
    name = path.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
    header = MAGIC + b"".join(b"%08X" % field for field in fields)
    return pad(header + name) + pad(content)


def folders(paths: Iterator[str]) -> set[str]:
    """Every folder on the way to some files."""
    return {str(parent) for path in paths for parent in PurePosixPath(path).parents} - {"."}


def archive(files: dict[str, Entry]) -> bytes:
    """All files and their folders, sorted, in one archive."""
    parts = []
    for number, path in enumerate(sorted(files.keys() | folders(iter(files))), 1):
        entry = files.get(path)
        if entry is None:
            parts.append(member(number, path, FOLDER | 0o755, b""))
        else:
            parts.append(member(number, path, FILE | (0o755 if entry.executable else 0o644), entry.content))
    return b"".join(parts) + member(0, TRAILER, 0, b"")


def contents(archive: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    while archive[at : at + len(MAGIC)] == MAGIC:
        mode, size, name_size = (int(archive[at + 6 + 8 * field : at + 14 + 8 * field], 16) for field in (1, 6, 11))
        name, start = at + HEADER_BYTES, at + HEADER_BYTES + name_size
        start += -start % 4
        if mode & FILE and size:
            yield archive[name : name + name_size - 1].decode(), archive[start : start + size]
        at = start + size + -(start + size) % 4
