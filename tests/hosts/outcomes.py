"""Runs a part of the jobs and prints a digest of all that each left, or all trials: started alike in every host.

python -m tests.hosts.outcomes PART [TIMES [RUNNER]]
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace

from tests.hosts import tables
from tests.hosts.elsewhere import Elsewhere, WithRunner, arm64, empty, tell
from tests.hosts.jobs import PARTS, Named
from tests.hosts.newer import QEMU_10, QEMU_11, Installed

from lab.errors import LabError
from lab.machine.runner import PROGRAM
from lab.model.trial import Job, Outcome, StepOutcome
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite

AT_ONCE = os.cpu_count() or 1
FAILED = "failed:"
EVERY = "every"
RUNNERS: Mapping[str, Callable[[], Elsewhere]] = {
    "empty": empty,
    "arm64": arm64,
    "qemu-10": QEMU_10,
    "qemu-11": QEMU_11,
}


def digest(left: Outcome | StepOutcome) -> str:
    """The sha256 of outputs, counters, clocks and console: of all but what is of the host and the day."""
    if isinstance(left, Outcome):
        left = replace(left, host_seconds=0.0, state={})
    return hashlib.sha256(json.dumps(asdict(left), sort_keys=True).encode()).hexdigest()


def said_of(site: ExactSite, job: Job) -> str:
    """A job's digest; or the reason why there is none, on one line."""
    return said_of_steps(site, job)[-1]


def said_of_steps(site: ExactSite, job: Job) -> list[str]:
    """Of each step but the last its digest, then that of all; or the reason why there is none, on one line."""
    try:
        outcome = site.run(job)
    except LabError as error:
        return [f"{FAILED} {' '.join(str(error).split())}"] * len(job.steps)
    if outcome.failed:
        return [f"{FAILED} a program of it"] * len(job.steps)
    return [*map(digest, outcome.steps[:-1]), digest(outcome)]


def facts(site: ExactSite) -> dict[str, str]:
    """What of a host is worth a line in a table, and the identity, which must be equal."""
    identity = json.dumps(site.identity(), sort_keys=True)
    return {
        "identity": hashlib.sha256(identity.encode()).hexdigest(),
        "python": platform.python_version(),
        "qemu": own_qemu(site),
    }


def own_qemu(site: ExactSite) -> str:
    """The version of the QEMU that belongs to the host, which nothing may depend on; empty if it has none."""
    if isinstance(site, WithRunner) and isinstance(site.other.runner, Installed):
        return site.other.runner.version().partition(" ")[0]
    if not shutil.which(PROGRAM):
        return ""
    printed = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=False).stdout
    return printed.partition("\n")[0].removeprefix("QEMU emulator version ").partition(" ")[0]


def main(part: str, times: str = "1", runner: str = "") -> None:
    """First the facts, then a line for each run."""
    site = WithRunner(RUNNERS[runner]()) if runner else ExactSite(MACHINE, CACHE)
    site.prepare(tell)
    print(json.dumps(facts(site)), flush=True)
    for name, said in tables.measured(site) if part == EVERY else runs(site, PARTS[part](site), int(times)):
        print(name, said, flush=True)


def runs(site: ExactSite, jobs: Named, times: int) -> Iterator[tuple[str, str]]:
    """The jobs, so many times, as many at once as there are cores: a run for each step of theirs."""
    queue = list(jobs.items()) * times
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = pool.map(lambda each: said_of_steps(site, each[1]), queue)
        for (name, job), said in zip(queue, found, strict=True):
            names = [name] if len(job.steps) == 1 else [f"{name}.{step}" for step in range(len(job.steps))]
            yield from zip(names, said, strict=True)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except LabError as error:
        sys.exit(str(error))
