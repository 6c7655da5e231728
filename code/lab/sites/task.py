"""One task on a node of a cluster, and the folder from which it reads its job."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from lab.errors import SiteError, StorageError, plural
from lab.files.storage import storage, write_text
from lab.files.store import sha256_of
from lab.model.trial import Ends, Job, Outcome
from lab.places import ROOT
from lab.sites import queue
from lab.sites.agent import jobs
from lab.sites.agent.client import INTERPRETER, FarEnd, kept, last_line, locator
from lab.sites.agent.jobs import Agents
from lab.typed_json import JsonTable, as_json, parse_as

JOB, OUTCOME, FAILURE, SUBMITTED = "job.json", "outcome.json", "failure.json", "submitted"


def digest(job: Job) -> str:
    """The name of a job's folder, which does not depend on the job's secret: that differs in the next run."""
    values = as_json(replace(job, environment=()))
    return sha256_of(json.dumps(values, sort_keys=True).encode())


def put_job(folder: Path, job: Job) -> None:
    """Write a job for a node, unreadable to other users of the cluster: it contains a secret."""
    with storage(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_text(folder / JOB, json.dumps(as_json(job)))


def take(folder: Path) -> Outcome | SiteError | None:
    """Return the outcome or the error in a folder and remove the folder; None if there is neither yet."""
    kinds: dict[str, type[Outcome] | type[SiteError]] = {OUTCOME: Outcome, FAILURE: SiteError}
    for name, kind in kinds.items():
        try:
            result = parse_as(kind, json.loads((folder / name).read_text()))
        except FileNotFoundError:
            continue
        shutil.rmtree(folder, ignore_errors=True)
        return result
    return None


# One process on one node of the allocation, which other steps may use too.
STEP = ("srun", "--nodes=1", "--ntasks=1", "--overlap", "--quiet", "--kill-on-bad-exit=1", "--mpi=none")
PLACES = "SLURM_TASKS_PER_NODE"  # of the allocation, for orterun; an agent's environment has those of its step only


def main(interface: str, device: str, *folders: str) -> None:
    folder = Path(folders[int(os.environ["SLURM_ARRAY_TASK_ID"])])
    leave(folder, lambda job: run_on_nodes(job, interface, device))


def leave(folder: Path, run: Callable[[Job], Outcome]) -> None:
    """Run a job and write its outcome or error; no error for a cancelled job, whose state explains more."""
    if (folder / OUTCOME).exists():
        return
    try:
        outcome = run(parse_as(Job, json.loads((folder / JOB).read_text())))
        write_text(folder / OUTCOME, json.dumps(as_json(outcome)))
    except (SiteError, StorageError) as error:
        if queue.still_runs(os.environ["SLURM_JOB_ID"]):
            failure = {"what": error.what, "where": error.where, "hint": error.hint}
            write_text(folder / FAILURE, json.dumps(failure))


def run_on_nodes(job: Job, interface: str, device: str) -> Outcome:
    """Start an agent on each node, and run the job between them."""
    nodes = node_names(job.computers)
    settings = {"device": device, "interface": interface}
    with ExitStack() as stack:
        commands = {name: [*STEP, f"--nodelist={name}", sys.executable, *INTERPRETER] for name in nodes}
        far = [stack.enter_context(closing(FarEnd(name, command, explain))) for name, command in commands.items()]
        all_ends = [jobs.data_end(end, settings, 'interface = "..." in [slurm] of hosts.toml') for end in far]
        client, server, *others = all_ends
        ends = Ends(client, server, side_channel=server.host, others=tuple(others))
        # The nodes' names replace the plan's words, also within a word for srun.
        locate = (locator(names_of(ends, len(far)) | kept(job.overlay)),) * len(far)
        agents = Agents(tuple(far), locate)
        agents.pin(ends)
        inside = replace(job, environment=(*job.environment, (PLACES, os.environ[PLACES])))
        outcome = jobs.run_between(agents, ends, inside)
        return renamed(outcome, ends, {"nodes": nodes, "ends": [vars(end) for end in all_ends]})


def node_names(count: int) -> list[str]:
    """The nodes of the allocation, the client's first."""
    command = ["scontrol", "show", "hostnames", os.environ["SLURM_JOB_NODELIST"]]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    if len(names) != count:
        what = f"the allocation has {plural(len(names), 'node')}, not {count}"
        raise SiteError(what, os.environ["SLURM_JOB_NODELIST"], "options of [slurm] in hosts.toml")
    return names


def names_of(ends: Ends, count: int) -> dict[str, str]:
    """The plan's names of the ends, and their values on these nodes."""
    named = ((jobs.name_of(rank), end) for rank, end in enumerate(ends.first(count)))
    values = {f"@{side}.{name}": value for side, end in named for name, value in vars(end).items()}
    return values | {"@side_channel": ends.side_channel}


def renamed(outcome: Outcome, ends: Ends, names_here: JsonTable) -> Outcome:
    """The outcome with the client's counters by the plan's names too, and the names of these nodes in its state."""
    names = {ends.client.interface: "@client.interface", ends.client.device: "@client.device"}

    def with_aliases(counters: dict[str, int]) -> dict[str, int]:
        split = ((name.partition("."), count) for name, count in counters.items())
        aliases = {f"{names[first]}.{rest}": count for (first, _, rest), count in split if first and first in names}
        return counters | aliases

    return replace(
        outcome,
        counters_before=with_aliases(outcome.counters_before),
        counters_after=with_aliases(outcome.counters_after),
        state={**outcome.state, **names_here},
    )


def explain(name: str, messages: str) -> SiteError:
    return SiteError(f"the agent ended: {last_line(messages)}", where=f"node {name}", hint="sinfo")


if __name__ == "__main__":
    os.chdir(ROOT)
    main(*sys.argv[1:])
