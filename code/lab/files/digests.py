"""Digests of a folder's files, written with the files and checked when they are used: no disk is trusted."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

SUMS = "digests"  # in the format of sha256sum(1): `sha256sum --check digests` checks a record or an image too
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)", re.ASCII)
LARGEST = 1 << 20  # bytes of such a file

Digest = Callable[[Path], str]


def sha256(path: Path) -> str:
    """The digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sums_of(digests: Mapping[str, str]) -> bytes:
    """The text of a file of digests, given by name."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())).encode()


def held(folder: Path) -> set[str]:
    """The paths of all that is in a folder and in those under it, but for folders of something and for the digests."""
    found = (each for each in folder.rglob("*") if each.is_symlink() or not each.is_dir() or not any(each.iterdir()))
    return {str(each.relative_to(folder)) for each in found} - {SUMS}


def seal(folder: Path, digest: Digest = sha256) -> None:
    """Write the digests of all files in a folder; call it before the folder gets its name."""
    (folder / SUMS).write_bytes(sums_of({name: digest(folder / name) for name in held(folder)}))


def read_sums(folder: Path) -> dict[str, str]:
    """The digests that were written, by name; none if the file holds anything else."""
    if not (folder / SUMS).is_file():  # a pipe would be waited for
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder / SUMS))
    with (folder / SUMS).open("rb") as file:
        lines = [_LINE.fullmatch(line) for line in file.read(LARGEST).decode(errors="replace").splitlines()]
    return {line[2]: line[1] for line in lines if line} if all(lines) else {}


def folder_digest(folder: Path) -> str:
    """One digest of all files in a folder and of their names; the same whether or not they are sealed."""
    digests = {each.name: sha256(each) for each in folder.iterdir() if each.name != SUMS}
    return hashlib.sha256(sums_of(digests)).hexdigest()


def damage(folder: Path, digest: Digest = sha256) -> str:
    """What differs from the digests, in words, extra files included; empty if nothing does."""
    try:
        written = read_sums(folder)
    except FileNotFoundError:
        return f"{SUMS} is missing"
    if not written:
        return f"{SUMS} holds none"
    for name in sorted(held(folder) ^ written.keys()):
        return f"{name} is {'missing' if name in written else 'strange there'}"
    for name, was in written.items():
        if not (folder / name).is_file() or digest(folder / name) != was:
            return f"{name} is not what was written"
    return ""
