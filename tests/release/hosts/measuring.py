"""The outcomes of jobs on a host, compared with this host's."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache

from tests.release.hosts.entry import Enter, here
from tests.release.hosts.outcomes import EVERY, FAILED, recorded_trials

LOOP = ("timeout", "7200", sys.executable, "-c", "while True: pass")  # ends by itself if this process is killed


@dataclass(frozen=True)
class Left:
    """The output of a host: its facts, and for each run the job's name and the digest of its outcome."""

    facts: dict[str, str]
    runs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Count:
    """The number of runs with the reference's bytes, and the first run with others."""

    equal: int
    runs: int
    other: str = ""

    def __str__(self) -> str:
        return f"{self.equal}/{self.runs}"


class HostFailed(Exception):
    """A host that ran nothing, and its last message."""


def left(command: Sequence[str]) -> Left:
    """Run a part of the jobs by a command that enters a host."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        raise HostFailed((done.stderr.strip().splitlines() or ["it printed nothing"])[-1])
    runs = [(name, digest) for name, _, digest in (line.partition(" ") for line in lines[1:])]
    try:
        return Left(json.loads(lines[0]), runs)
    except ValueError as error:
        raise HostFailed(f"its first line is not a table of facts: {lines[0]}") from error


@cache
def reference(part: str) -> Left:
    """The outcomes of this checkout; of all trials, the repository's tables."""
    if part == EVERY:
        return Left(reference("kinds").facts, list(recorded_trials()))
    ours = left(here([part]))
    if broken := [f"{name} {digest}" for name, digest in ours.runs if digest.startswith(FAILED)]:
        raise HostFailed(f"on this computer itself: {broken[0]}")
    return ours


def compared(theirs: Left, ours: Left) -> Count:
    """Count the host's runs with our bytes. A job that the host did not run has none."""
    expected = dict(ours.runs)
    others = [f"{name}: {digest}" for name, digest in theirs.runs if expected.get(name) != digest]
    equal = len(theirs.runs) - len(others)
    if theirs.facts["identity"] != ours.facts["identity"]:
        others.insert(0, "another identity")
    missing = sorted(expected.keys() - {name for name, _ in theirs.runs})
    others += [f"{name}: not run" for name in missing]
    return Count(equal, len(theirs.runs) + len(missing), next(iter(others), ""))


def counted(enter: Enter, part: str, times: int = 1, load: int = 0) -> tuple[Count, dict[str, str]]:
    """Run a part of the jobs in a host, beside busy loops; return the count and the host's facts."""
    expected = reference(part)
    with busy(load):
        theirs = left(enter([part, str(times)]))
    return compared(theirs, expected), theirs.facts


@contextmanager
def busy(loops: int) -> Iterator[None]:
    with ExitStack() as ends:
        for _ in range(loops):
            ends.callback(ends.enter_context(subprocess.Popen(LOOP)).terminate)
        yield
