"""The programs under test, kept by digest, so that a build during a run does not change the programs that run."""

from __future__ import annotations

import hashlib
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from lab.errors import LabError, StorageError
from lab.files.digests import sha256
from lab.files.storage import OWNER, write_bytes
from lab.places import BENCH, PROGRAMS
from lab.programs.request import Build

DEADLINE_S = 600  # of a build command


def keep_binaries(files: Iterable[Path], kept: Path = PROGRAMS) -> dict[Path, str]:
    """The sha256 of each program under test; a copy of it lies at kept_binary()."""
    return {file: _keep(file, kept) for file in sorted(files)}


def keep_contents(programs: Mapping[Path, bytes], kept: Path = PROGRAMS) -> dict[Path, str]:
    """The same for programs that lie nowhere yet."""
    return {file: _keep_content(file.name, content, kept) for file, content in sorted(programs.items())}


def build(wanted: Iterable[Build]) -> None:
    """Run each command once; the error of a failed build is its last line."""
    for each in dict.fromkeys(wanted):
        try:
            done = subprocess.run(each.command, cwd=each.folder, capture_output=True, timeout=DEADLINE_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            what = f"the build command cannot be run: {error}"
            raise LabError(what, str(each.folder), "build = ... in the experiment's file") from error
        if done.returncode:
            said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
            command = " ".join(each.command)
            raise LabError(f"{command}: {said[-1] if said else 'failed'}", str(each.folder), "the same command there")


@cache
def kept_binary(name: str, digest: str, kept: Path = PROGRAMS) -> Path:
    """The place of the program with that digest."""
    return kept / digest / name


def is_kept(copy: Path) -> bool:
    """Whether a copy exists and still has the digest in its path."""
    return copy.is_file() and sha256(copy) == copy.parent.name


def require_kept(copies: Iterable[Path]) -> None:
    """Refuse a changed copy just before it runs, so that the record's digest is true. A missing copy cannot run."""
    for copy in copies:
        if copy.is_file() and not is_kept(copy):
            raise LabError(
                "differs from the copy that was kept there", where=str(copy), hint="run the same command again"
            )


def _keep(file: Path, kept: Path) -> str:
    try:
        content = file.read_bytes()
    except FileNotFoundError as error:
        hint = "make build" if file.parent == BENCH else "a build command that makes it"
        raise LabError(f"{file.name} is not built", where=str(file.parent), hint=hint) from error
    if not content and file.parent == BENCH:
        raise LabError(
            "is empty: its build was cut off", where=str(file), hint=f"rm {shlex.quote(str(file))}; make build"
        )
    return _keep_content(file.name, content, kept)


def _keep_content(name: str, content: bytes, kept: Path) -> str:
    digest = hashlib.sha256(content).hexdigest()
    copy = kept_binary(name, digest, kept)
    if not is_kept(copy):
        try:
            write_bytes(copy, content, runnable=True)
        except StorageError as error:
            raise StorageError(error.what, where=str(kept), hint=OWNER) from error
    return digest
