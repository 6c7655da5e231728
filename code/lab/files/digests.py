"""Digests of a folder's files, written with them and asked where the files are used: a disk is not believed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path

SUMS = "digests"  # its lines are as sha256sum(1) writes them: `sha256sum --check digests` asks a record or an image too
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)", re.ASCII)
LARGEST = 1 << 20  # of such a file

Digest = Callable[[Path], str]


def sha256(path: Path) -> str:
    """The digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sums_of(digests: Mapping[str, str]) -> bytes:
    """The file's content, of digests by name."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())).encode()


def seal(folder: Path, digest: Digest = sha256) -> None:
    """Write down what lies in a folder, before it gets its name."""
    files = [each for each in folder.iterdir() if each.name != SUMS]
    (folder / SUMS).write_bytes(sums_of({each.name: digest(each) for each in files}))


def read_sums(folder: Path) -> dict[str, str]:
    """The digests that were written, by name; none where the file holds anything else."""
    with (folder / SUMS).open("rb") as file:
        lines = [_LINE.fullmatch(line) for line in file.read(LARGEST).decode(errors="replace").splitlines()]
    return {line[2]: line[1] for line in lines if line} if all(lines) else {}


def damage(folder: Path, digest: Digest = sha256) -> str:
    """What is not as it was written there, in words; empty where all is. Files that were not written count too."""
    try:
        written = read_sums(folder)
    except FileNotFoundError:
        return f"{SUMS} is missing"
    if not written:
        return f"{SUMS} holds none"
    there = {each.name for each in folder.iterdir()} - {SUMS}
    for name in sorted(there ^ written.keys()):
        return f"{name} is {'missing' if name in written else 'strange there'}"
    for name, was in written.items():
        if not (folder / name).is_file() or digest(folder / name) != was:
            return f"{name} is not what was written"
    return ""
