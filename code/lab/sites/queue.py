"""Slurm's queue: job scripts, and the state of their jobs."""

import shlex
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from lab.errors import SiteError
from lab.sites.agent.client import last_line
from lab.sites.hosts import Slurm

LOAD = "module load {name} || {{ echo the module {name} cannot be loaded; exit 1; }}\n"


def options(cluster: Slurm) -> tuple[str, ...]:
    """The options for sbatch, or for srun outside a job."""
    named = {name: getattr(cluster, name) for name in ("account", "partition", "constraint")}
    return (*(f"--{name}={value}" for name, value in named.items() if value), *cluster.options)


def script(cluster: Slurm, command: str) -> str:
    """A job's script: it loads the modules, or ends with an error. A login shell has the command `module`, but not this
    PATH."""
    modules = "".join(LOAD.format(name=shlex.quote(name)) for name in cluster.modules)
    return f"#!/bin/bash{' -l' if modules else ''}\n{modules}exec {command}\n"


ANSWER_S = 60  # for a busy controller
ASKS = 5
NO_CONTROLLER, FORGOTTEN = "Unable to contact slurm controller", "Invalid job id"
# The states of tasks that may still leave an outcome, and the reasons of those that wait for nodes.
ALIVE = (
    "PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "STAGE_OUT", "REQUEUED", "RESIZING", "SIGNALING",
)  # fmt: skip
UP = ("idle", "mix", "alloc", "comp")  # states of nodes, which `*` follows if the node does not respond
WITHOUT_NODES = ("ReqNodeNotAvail", "DOWN", "DRAIN", "PartitionDown", "PartitionInactive", "BadConstraints", "NodeDown")

# The ends of a job that its program did not cause, and what to try.
JOB_ENDS = {
    "TIMEOUT": ("its time was over", "minutes = ... in hosts.toml"),
    "PREEMPTED": ("it was preempted", "lab run again; or another partition in hosts.toml"),
    "NODE_FAIL": ("one of its nodes was lost", "lab run again; sinfo"),
    "CANCELLED": ("it was cancelled", "lab run again"),
    "OUT_OF_MEMORY": ("it had too little memory", 'options = ["--mem=..."] in hosts.toml'),
    "BOOT_FAIL": ("one of its nodes did not boot", "sinfo"),
    "DEADLINE": ("its deadline was over", "minutes = ... in hosts.toml"),
}


class Place(NamedTuple):
    state: str
    reason: str


def submit(script: str, tasks: int, cluster: Slurm, shape: Iterable[str]) -> str:
    fixed = ["--parsable", "--no-requeue", "--job-name=lab", f"--array=0-{tasks - 1}", *shape]
    return _slurm("sbatch", *fixed, *options(cluster), typed=script).strip().split(";")[0]


def on_a_node(cluster: Slurm) -> tuple[str, ...]:
    """The start of a command that runs on some node, in this folder, while its caller waits."""
    return ("srun", "--quiet", "--nodes=1", "--ntasks=1", "--job-name=lab", *options(cluster))


def places(arrays: Iterable[str]) -> dict[str, Place]:
    """The states of some arrays' tasks. Raise without an answer."""
    states: dict[str, Place] = {}
    for array in sorted(set(arrays)):
        for line in _states(array, "--array", "--format=%F|%K|%T|%r").splitlines():
            words = line.split("|")
            if len(words) == 4 and words[1].isdigit():
                states[f"{words[0]}_{words[1]}"] = Place(words[2].split()[0], words[3])
    return states


def still_runs(job: str) -> bool:
    """Whether the job that calls this is not being ended; ask a busy controller several times."""
    for _ in range(ASKS):
        with suppress(SiteError):
            return _states(job, "--format=%T").strip() == "RUNNING"
    return True


def _states(job: str, *options: str) -> str:
    """The controller's lines about a job; none if it has forgotten the job. Raise without an answer."""
    try:
        return _slurm("squeue", "--noheader", "--states=all", f"--jobs={job}", *options)
    except SiteError as error:
        if FORGOTTEN in error.what:
            return ""
        raise


def cancel(arrays: Iterable[str]) -> None:
    """End some arrays; those that have ended already are ignored."""
    if ids := sorted(set(arrays)):
        with suppress(SiteError):
            _slurm("scancel", *ids)


def failure(task: str, place: Place | None, log: Path) -> SiteError:
    """The error for a task that ended without an outcome."""
    where = f"Slurm job {task}"
    if place is None:
        return SiteError("the cluster has no state of it any more, and it left no outcome", where, "lab run again")
    if place.state in JOB_ENDS:
        return SiteError(JOB_ENDS[place.state][0], where, JOB_ENDS[place.state][1])
    messages = log.read_text(errors="replace").strip() if log.exists() else ""
    return SiteError(f"{place.state.lower()}: {last_line(messages)}", where, f"cat {log}")


def cluster_name() -> str:
    lines = _slurm("scontrol", "show", "config").splitlines()
    named = (line.partition("=")[2].strip() for line in lines if line.startswith("ClusterName"))
    return next(named, "")


def nodes_up(partition: str) -> int:
    """The number of nodes that can run jobs."""
    where = [f"--partition={partition}"] if partition else []
    listed = _slurm("sinfo", "--noheader", "--Node", "--format=%N %T", *where).splitlines()
    states = dict(line.split(None, 1) for line in listed)
    return sum(state.startswith(UP) and not state.endswith("*") for state in states.values())


def _slurm(*command: str, typed: str = "") -> str:
    try:
        done = subprocess.run(command, input=typed, capture_output=True, text=True, check=False, timeout=ANSWER_S)
    except FileNotFoundError as error:
        hint = "log in to the cluster; or make slurm-up for one on this computer"
        raise SiteError(f"{command[0]} is not on this computer", hint=hint) from error
    except subprocess.TimeoutExpired as error:
        raise SiteError(f"the cluster did not answer {command[0]} within {ANSWER_S} s", hint="sinfo") from error
    if NO_CONTROLLER in done.stderr:
        raise SiteError("the cluster's controller cannot be reached", where=command[0], hint="scontrol ping")
    if done.returncode:
        messages = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        what = messages[-1].removeprefix(f"{command[0]}: error: ")
        raise SiteError(what, where=command[0], hint="[slurm] in hosts.toml")
    return done.stdout
