"""One build: files go in, a command runs on them within bounds, and the wanted programs come out."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.files import bounded

DEADLINE_S = 120
MEMORY_BYTES, DISK_BYTES, LARGEST_PROGRAM = 2 * 2**30, 256 * 2**20, 50 * 2**20
PROCESSES, OPEN_FILES, PROCESSOR_S = 128, 256, 120
WORK = "/w"
NOBODY = 65534
# The same wherever it runs; gcc takes the date that a source may ask for (__DATE__) from there: 2026-01-01.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": WORK, "LC_ALL": "C", "SOURCE_DATE_EPOCH": "1767225600"}
# The arguments are the names of the wanted files, then the command. Its output replaces the files if it fails.
SCRIPT = f"""cd {WORK} || exit 2
ulimit -v {MEMORY_BYTES // 1024} && ulimit -f {DISK_BYTES // 512} && ulimit -t {PROCESSOR_S} && ulimit -c 0 || exit 2
ulimit -p {PROCESSES} && ulimit -n {OPEN_FILES} && tar -x || exit 2
names=$1; shift
"$@" >/tmp/said 2>&1 </dev/null || {{ tail -c 2000 /tmp/said; exit 3; }}
exec tar -c -- $names
"""
LAST_LINES = 4
FAILED, OVERTIME = 3, -9  # the script's status, and that of one which was killed at its deadline
OVERMEMORY = -1000  # no status that a process has


class BuildRefused(LabError):
    """The sources don't give their programs."""


@dataclass(frozen=True)
class Compilation:
    """A build of somebody's whom nobody trusts."""

    files: Mapping[str, bytes]
    command: tuple[str, ...]
    wanted: tuple[str, ...]
    deadline_s: float = DEADLINE_S

    @property
    def given(self) -> bytes:
        """What goes in."""
        return bounded.pack(self.files)

    @property
    def inside(self) -> tuple[str, ...]:
        """The command that runs shut in: reads what goes in, writes what comes out."""
        return ("/bin/sh", "-c", SCRIPT, "sh", " ".join(self.wanted), *self.command)

    @property
    def named(self) -> str:
        """The command, for people."""
        return " ".join(self.command)

    def programs(self, status: int, said: bytes) -> dict[str, bytes]:
        """The wanted files and no others, or what the command said instead."""
        if len(said) > LARGEST_PROGRAM:
            raise BuildRefused(f"the programs are larger than {LARGEST_PROGRAM} bytes")
        if status == OVERTIME:
            raise BuildRefused(f"{self.named} did not end within {self.deadline_s:g} s")
        if status == OVERMEMORY:
            raise BuildRefused(
                f"{self.named} took more than {MEMORY_BYTES} bytes of memory, all its processes together"
            )
        if status == FAILED:
            lines = said.decode(errors="replace").strip().splitlines()[-LAST_LINES:]
            raise BuildRefused(f"{self.named}: {' / '.join(lines)[:300] or 'failed'}")
        found = unpacked(said)
        for name in self.wanted:
            if name not in found:
                raise BuildRefused(f"the sources don't give {Path(name).name}")
        return {name: found[name] for name in self.wanted}


def unpacked(content: bytes) -> dict[str, bytes]:
    """The files that came out."""
    try:
        return bounded.unpack(io.BytesIO(content), LARGEST_PROGRAM)
    except tarfile.TarError as error:
        raise BuildRefused(f"no programs came out: {error}") from error
