"""One task of an array, on its nodes: it runs some jobs of the spool, and leaves an outcome for each."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from lab.errors import SiteError, StorageError
from lab.model.trial import End, Ends, Job, Outcome
from lab.places import ROOT
from lab.sites import exact
from lab.sites.agent import pair
from lab.sites.agent.client import INTERPRETER, FarEnd, last_line
from lab.sites.agent.locate import kept, locator
from lab.sites.agent.pair import AgentPair
from lab.sites.cluster import queue, spool
from lab.typed_json import JsonTable

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
    if (folder / spool.OUTCOME).exists():
        return
    try:
        spool.put_outcome(folder, run(spool.get_job(folder)))
    except (SiteError, StorageError) as error:
        if queue.still_runs(os.environ["SLURM_JOB_ID"]):
            spool.put_failure(folder, error)


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
