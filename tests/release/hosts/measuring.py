"""What a host gives, against what this computer gives in the same run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache

from tests.release.hosts.entry import Enter, here
from tests.release.hosts.outcomes import EVERY, FAILED, recorded_trials

LOOP = ("timeout", "7200", sys.executable, "-c", "while True: pass")  # ends by itself, whatever becomes of this


@dataclass(frozen=True)
class Left:
    """All that a host printed: facts of it, and for each run the job's name and what it left."""

    facts: Mapping[str, str]
    runs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Count:
    """How many runs left the reference's bytes, and the first that did not; the day on which they ran."""

    equal: int
    runs: int
    other: str = ""
    day: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.equal}/{self.runs}"


class HostFailed(Exception):
    """A host that ran nothing; its last words."""


def left(command: Sequence[str]) -> Left:
    """Run a part of the jobs by a command of an entry."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        raise HostFailed((done.stderr.strip().splitlines() or ["it said nothing"])[-1])
    runs = [(name, said) for name, _, said in (line.partition(" ") for line in lines[1:])]
    try:
        return Left(json.loads(lines[0]), runs)
    except ValueError as error:
        raise HostFailed(f"its first line holds no facts: {lines[0]}") from error


@cache
def reference(part: str) -> Left:
    """This checkout's, measured once in a process; of all trials the tables that are in the repository."""
    if part == EVERY:
        return Left(reference("kinds").facts, list(recorded_trials()))
    found = left(here([part]))
    if broken := [f"{name} {said}" for name, said in found.runs if said.startswith(FAILED)]:
        raise HostFailed(f"on this computer itself: {broken[0]}")
    return found


def compared(mine: Left, theirs: Left) -> Count:
    """How much of mine is theirs. A host that ran another list of jobs has no equal run of those."""
    expected = dict(theirs.runs)
    others = [f"{name}: {said}" for name, said in mine.runs if expected.get(name) != said]
    if mine.facts["identity"] != theirs.facts["identity"]:
        others.insert(0, "another identity")
    missing = sorted(expected.keys() - {name for name, _ in mine.runs})
    others += [f"{name}: not run" for name in missing]
    equal = sum(expected.get(name) == said for name, said in mine.runs)
    return Count(equal, len(mine.runs) + len(missing), next(iter(others), ""))


def counted(enter: Enter, part: str, times: int = 1, load: int = 0) -> tuple[Count, Mapping[str, str]]:
    """A part of the jobs in a host, beside busy loops; and the host's facts."""
    expected = reference(part)
    with busy(load):
        mine = left(enter([part, str(times)]))
    return compared(mine, expected), mine.facts


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Beside that many loops."""
    with ExitStack() as ends:
        for _ in range(loops):
            ends.callback(ends.enter_context(subprocess.Popen(LOOP)).terminate)
        yield
