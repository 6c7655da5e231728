"""One task on a node of a cluster, and the folder that it is read from."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from lab.errors import LabError, SiteError, StorageError
from lab.files.storage import storage
from lab.model.trial import End, Ends, Job, Outcome
from lab.places import ROOT
from lab.sites import exact, queue
from lab.sites.agent import pair
from lab.sites.agent.client import INTERPRETER, FarEnd, kept, last_line, locator
from lab.sites.agent.pair import AgentPair
from lab.typed_json import JsonTable, as_json, parse_as

JOB, OUTCOME, FAILURE, SUBMITTED = "job.json", "outcome.json", "failure.json", "submitted"


def digest(job: Job, kind: str) -> str:
    """The name of a job's folder: the same whatever the secret, which another run of the lab cannot know."""
    values = as_json(replace(job, environment=()))
    return hashlib.sha256(json.dumps([kind, values], sort_keys=True).encode()).hexdigest()


def put_job(folder: Path, job: Job) -> None:
    """Write a job for a node, unreadable to other users of the cluster: it holds a secret."""
    with storage(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(folder / JOB, as_json(job))


def get_job(folder: Path) -> Job:
    """The job of a folder."""
    return parse_as(Job, json.loads((folder / JOB).read_text()))


def put_outcome(folder: Path, outcome: Outcome) -> None:
    """Write the outcome of a job, whole or not at all."""
    _write(folder / OUTCOME, as_json(outcome))


def put_failure(folder: Path, error: LabError) -> None:
    """Write why a job has no outcome."""
    _write(folder / FAILURE, {"what": error.what, "where": error.where, "hint": error.hint})


def take(folder: Path) -> Outcome | SiteError | None:
    """The outcome in a folder, which is then removed; None if there is none yet."""
    kinds: dict[str, type[Outcome] | type[SiteError]] = {OUTCOME: Outcome, FAILURE: SiteError}
    for name, kind in kinds.items():
        try:
            found = parse_as(kind, json.loads((folder / name).read_text()))
        except FileNotFoundError:
            continue
        shutil.rmtree(folder, ignore_errors=True)
        return found
    return None


def _write(file: Path, values: JsonTable) -> None:
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with storage(file):
            beside.write_text(json.dumps(values))
            beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)  # on a full disk, room for the sentence that says so


# One process on one node, inside of the allocation, which may be used by other steps too.
STEP = ("srun", "--nodes=1", "--ntasks=1", "--overlap", "--quiet", "--kill-on-bad-exit=1", "--mpi=none")
SIDES = ("client", "server")
PLACES = "SLURM_TASKS_PER_NODE"  # of the allocation, for orterun; an agent knows those of its own step only


def main(kind: str, tasks: str, interface: str = "", device: str = "") -> None:
    """Run the folders of this task's line."""
    lines = Path(tasks).read_text().splitlines()
    folders = [Path(each) for each in lines[int(os.environ["SLURM_ARRAY_TASK_ID"])].split("\t")]
    if kind == "exact":
        site = exact.open()
        with ThreadPoolExecutor(processors()) as pool:
            list(pool.map(lambda folder: leave(folder, site.run), folders))
        return
    for folder in folders:
        leave(folder, lambda job: run_on_nodes(job, interface, device))


def processors() -> int:
    """Those that the task was given; not every cluster binds it to them."""
    allowed = len(os.sched_getaffinity(0))
    return min(allowed, int(os.environ.get("SLURM_CPUS_ON_NODE", allowed)))


def leave(folder: Path, run: Callable[[Job], Outcome]) -> None:
    """Leave an outcome, or an error; not for a job that is being ended, whose state explains more."""
    if (folder / OUTCOME).exists():
        return
    try:
        put_outcome(folder, run(get_job(folder)))
    except (SiteError, StorageError) as error:
        if queue.still_runs(os.environ["SLURM_JOB_ID"]):
            put_failure(folder, error)


def run_on_nodes(job: Job, interface: str, device: str) -> Outcome:
    """Start an agent on each of both nodes, and run the job between them."""
    nodes = node_names()
    far: list[FarEnd] = []
    try:
        for name in nodes:
            far.append(FarEnd(name, [*STEP, f"--nodelist={name}", sys.executable, *INTERPRETER], explain))  # noqa: PERF401
        client, server = (end_of(each, interface, device) for each in far)
        ends = Ends(client, server, side_channel=server.host)
        both = AgentPair(far[0], far[1])
        both.pin(ends)
        inside = replace(job, environment=(*job.environment, (PLACES, os.environ[PLACES])))
        outcome = pair.run_between(placed(both, job, ends), ends, inside)
        return renamed(outcome, ends, {"nodes": nodes, "ends": [vars(each) for each in (client, server)]})
    finally:
        for each in far:
            each.close()


def node_names() -> list[str]:
    """Both nodes of the allocation, the client's first."""
    asked = ["scontrol", "show", "hostnames", os.environ["SLURM_JOB_NODELIST"]]
    names = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    if len(names) != len(SIDES):
        what = f"the allocation has {len(names)} nodes, not 2"
        raise SiteError(what, os.environ["SLURM_JOB_NODELIST"], "options of [slurm] in hosts.toml")
    return names


def end_of(far: FarEnd, interface: str, device: str) -> End:
    """A node's end of the data link."""
    known = {"device": device, "interface": interface}
    return pair.data_end(far, known, 'interface = "..." in [slurm] of hosts.toml')


def placed(both: AgentPair, job: Job, ends: Ends) -> AgentPair:
    """Put the nodes' names in place of the plan's words, also within a word for srun."""
    return replace(both, locate=dict.fromkeys(SIDES, locator(names_of(ends) | kept(job.overlay))))


def names_of(ends: Ends) -> dict[str, str]:
    """What the plan calls the ends, and what they are here."""
    named = {f"@{side}.{name}": value for side in SIDES for name, value in vars(getattr(ends, side)).items()}
    return named | {"@side_channel": ends.side_channel}


def renamed(outcome: Outcome, ends: Ends, names_here: JsonTable) -> Outcome:
    """The counters of the client's interface and device by the plan's names too; in the state, what they mean here."""
    names = {ends.client.interface: "@client.interface", ends.client.device: "@client.device"}

    def both(counters: dict[str, int]) -> dict[str, int]:
        split = ((name.partition("."), count) for name, count in counters.items())
        aliases = {f"{names[first]}.{rest}": count for (first, _, rest), count in split if first and first in names}
        return counters | aliases

    return replace(
        outcome,
        counters_before=both(outcome.counters_before),
        counters_after=both(outcome.counters_after),
        state={**outcome.state, **names_here},
    )


def explain(name: str, words: str) -> SiteError:
    """A node's agent that ended before it was told to."""
    return SiteError(f"the agent ended: {last_line(words)}", where=f"node {name}", hint="sinfo")


if __name__ == "__main__":
    os.chdir(ROOT)
    main(*sys.argv[1:])
