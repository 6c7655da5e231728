"""The slurm site: its commands, and nodes that are up."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from lab.doctor.finding import Finding, program
from lab.errors import LabError
from lab.sites import hosts, slurm_queue

SITE = "slurm"
TRY = "log in to the cluster; or make slurm-up for one on this computer"


def examine(file: Path) -> Iterator[Finding]:
    """A cluster is asked only where there is one."""
    yield program(SITE, "sbatch", TRY)
    if shutil.which("sbatch"):
        yield _cluster(file)
        yield _mpi()


def _cluster(file: Path) -> Finding:
    try:
        wanted = hosts.read_slurm(file) if hosts.has(file, "slurm") else hosts.Slurm()
        name, up = slurm_queue.cluster_name(), slurm_queue.nodes_up(wanted.partition)
    except LabError as error:
        return Finding(SITE, "cluster", error.what, error.hint or "sinfo")
    enough = up >= 2
    return Finding(SITE, "cluster", f"{name}: {up} nodes up", "" if enough else "two nodes; sinfo -R says why not")


def _mpi() -> Finding:
    """Whether srun can start the ranks of an MPI program."""
    asked = subprocess.run(["srun", "--mpi=list"], capture_output=True, text=True, check=False)
    if "pmix" in (asked.stdout + asked.stderr).split():
        return Finding(SITE, "MPI", "srun --mpi=pmix")
    return Finding(SITE, "MPI", "srun has no PMIx", "a Slurm with its pmix plugin; the other programs need none")
