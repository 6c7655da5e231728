"""Runs a part of the jobs, or all trials, and prints a digest of each outcome: the same program on every host.

python -m tests.release.hosts.outcomes PART [TIMES [RUNNER]]
"""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import asdict, replace
from pathlib import Path

from tests.release.hosts.elsewhere import arm64, empty, tell

from lab.cli.measure import run_remaining
from lab.errors import LabError
from lab.files.store import exclusive, put_file
from lab.machine.runner import PROGRAM
from lab.model.trial import Job, Link, Outcome, Perturbation, Step, StepOutcome
from lab.places import CACHE, MACHINE, REFERENCE
from lab.plan.plan import Plan
from lab.plan.planning import all_experiments, open_campaign
from lab.records.table import columns, format_table, make_table
from lab.sites.exact import ExactSite
from lab.sites.site import Site

SHARED = CACHE / "hosts" / "shared"  # the reference makes it, every host sees it
NAPS = SHARED / "naps"  # sleeps 20,000 times: it detects an inexact clock soonest
HOSTS_FOLDER = Path(__file__).parent
NAPS_SOURCE = HOSTS_FOLDER / "naps.c"
KINDS = HOSTS_FOLDER / "kinds.toml"
# naps has no server: iperf3 listens on the port, and ends after a request.
SERVER = ("iperf3", "-s", "-1", "-B", "10.0.0.2")
CLIENT = ("sh", "-c", "/lab/bin/naps && exec iperf3 -c 10.0.0.2 -B 10.0.0.1 -n 1K --json")
RACES = 5  # in one restored VM: where QEMU itself is emulated, a restore takes longer than a run

Named = dict[str, Job]
Digests = Iterator[tuple[str, str]]  # with the names of their jobs
AT_ONCE = os.cpu_count() or 1
FAILED = "failed:"
EVERY = "every"
RUNNERS: Mapping[str, Callable[[], ExactSite]] = {"empty": empty, "arm64": arm64}


def compile_naps() -> None:
    """Compile the program of the race here, so that all hosts run the same bytes."""
    NAPS.parent.mkdir(parents=True, exist_ok=True)
    with exclusive(NAPS.with_name("lock")), put_file(NAPS) as file:
        subprocess.run(["gcc", "-O2", "-static", "-o", file, NAPS_SOURCE], check=True)


def race(_: Site, runs: int = RACES) -> Named:
    """The job whose outcome shows a race in the clock: several runs, one after the other."""
    return {"naps": Job((Step(SERVER, CLIENT, 5201),) * runs, Link(), Perturbation(), 30, overlay=(NAPS,))}


def kinds(site: Site) -> Named:
    """A trial of every kind, and a run of the race."""
    return trials([KINDS], site) | race(site, 1)


def few(site: Site) -> Named:
    """A trial of verbs, a trial of TCP, and a run of the race."""
    wanted = ("kinds/verbs.write/", "kinds/tcp/", "naps")
    return {name: job for name, job in kinds(site).items() if name.startswith(wanted)}


def trials(files: Iterable[Path], site: Site) -> Named:
    campaign = open_campaign(files, site, tell)
    return {name: job for plan in campaign.plans for name, job in _of(plan).items()}


def _of(plan: Plan) -> Named:
    named = {each.trial.key: each for each in plan.planned}
    return {f"{plan.experiment.name}/{each.series.name}/{key[:12]}": each.trial.job for key, each in named.items()}


PARTS: Mapping[str, Callable[[Site], Named]] = {"race": race, "kinds": kinds}


def of_trials(experiment: str, table: str) -> Digests:
    """A digest for each trial: of its rows, which contain the key of its record."""
    head, *lines = table.splitlines()
    key = head.split(",").index("record")
    found = defaultdict[str, list[str]](list)
    for line in lines:
        found[line.split(",")[key]].append(line)
    for name, rows in found.items():
        yield f"{experiment}/{name}", hashlib.sha256("\n".join([head, *rows]).encode()).hexdigest()


def recorded_trials() -> Digests:
    """The digests of the repository's tables."""
    for file in all_experiments():
        yield from of_trials(file.stem, (REFERENCE / f"{file.stem}.csv").read_text())


def measured_trials(site: ExactSite) -> Digests:
    """The digests of all trials, measured now; a trial that failed has none."""
    campaign = open_campaign(all_experiments(), site, tell)
    with tempfile.TemporaryDirectory(prefix="lab-hosts-") as folder:
        with redirect_stdout(sys.stderr):
            run_remaining(campaign, Path(folder), jobs=os.cpu_count() or 1)
        for plan in campaign.plans:
            rows = make_table(plan, Path(folder))
            yield from of_trials(plan.experiment.name, format_table(columns(plan, rows), rows))


def digest(left: Outcome | StepOutcome) -> str:
    """The sha256 of outputs, counters, clocks and console, without facts about the host and the day."""
    if isinstance(left, Outcome):
        left = replace(left, host_seconds=0.0, state={})
    return hashlib.sha256(json.dumps(asdict(left), sort_keys=True).encode()).hexdigest()


def said_of(site: ExactSite, job: Job) -> str:
    """A job's digest, or the reason why it has none, on one line."""
    return said_of_steps(site, job)[-1]


def said_of_steps(site: ExactSite, job: Job) -> list[str]:
    """The digest of each step but the last, then that of the job; or the reason why it has none, on one line."""
    try:
        outcome = site.run(job)
    except LabError as error:
        return [f"{FAILED} {' '.join(str(error).split())}"] * len(job.steps)
    if outcome.failed:
        return [f"{FAILED} a program of it"] * len(job.steps)
    return [*map(digest, outcome.steps[:-1]), digest(outcome)]


def facts(site: ExactSite) -> dict[str, str]:
    """The facts of a host for its row, and its identity, which must be equal."""
    identity = json.dumps(site.identity(), sort_keys=True)
    return {
        "identity": hashlib.sha256(identity.encode()).hexdigest(),
        "python": platform.python_version(),
        "qemu": installed_qemu(),
    }


def installed_qemu() -> str:
    """The version of the QEMU that is installed on the host; empty if there is none."""
    if not shutil.which(PROGRAM):
        return ""
    printed = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=False).stdout
    return printed.partition("\n")[0].removeprefix("QEMU emulator version ").partition(" ")[0]


def main(part: str, times: str = "1", runner: str = "") -> None:
    """Print the facts, then a line for each run."""
    site = RUNNERS[runner]() if runner else ExactSite(MACHINE, CACHE)
    site.prepare(tell)
    print(json.dumps(facts(site)), flush=True)
    for name, said in measured_trials(site) if part == EVERY else runs(site, PARTS[part](site), int(times)):
        print(name, said, flush=True)


def runs(site: ExactSite, jobs: Named, times: int) -> Iterator[tuple[str, str]]:
    """Run the jobs this number of times, as many at once as there are cores; each step is a run."""
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
