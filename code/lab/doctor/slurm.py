"""The slurm site: its commands, and nodes that are up."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from lab.doctor import Diagnosis, program
from lab.errors import LabError
from lab.sites import hosts
from lab.sites.cluster import queue
from lab.sites.hosts import Slurm

SITE = "slurm"
TRY = "log in to the cluster; or make slurm-up for one on this computer"


def examine(file: Path) -> Iterator[Diagnosis]:
    """Ask a cluster only if this computer has one."""
    yield program(SITE, "sbatch", TRY)
    if shutil.which("sbatch"):
        try:
            wanted = hosts.read_slurm(file) if hosts.has(file, "slurm") else hosts.Slurm()
        except LabError as error:
            yield Diagnosis(SITE, file.name, error.what, str(error))
            return
        yield _cluster(wanted)
        yield _mpi(wanted)


def _cluster(wanted: Slurm) -> Diagnosis:
    try:
        name, up = queue.cluster_name(), queue.nodes_up(wanted.partition)
    except LabError as error:
        return Diagnosis(SITE, "cluster", error.what, error.hint or "sinfo")
    enough = up >= 2
    return Diagnosis(SITE, "cluster", f"{name}: {up} nodes up", "" if enough else "two nodes; sinfo -R says why not")


def _mpi(wanted: Slurm) -> Diagnosis:
    """How MPI's ranks are started, or the key of hosts.toml that would make it work."""
    if wanted.mpi == hosts.ORTERUN:
        return program(SITE, hosts.ORTERUN, "make build, or apt install openmpi-bin")
    asked = subprocess.run(["srun", "--mpi=list"], capture_output=True, text=True, check=False)
    known = _kinds(asked.stdout + asked.stderr)
    if wanted.mpi in known:
        whose = "" if wanted.mpi.startswith("pmix") else ", for an MPI library that is built with it"
        return Diagnosis(SITE, "MPI", f"srun --mpi={wanted.mpi}{whose}")
    instead = next((each for each in known if each.startswith("pmix")), hosts.ORTERUN)
    there = ", ".join(known) or "nothing"
    return Diagnosis(SITE, "MPI", f"srun --mpi has no {wanted.mpi}, but {there}", f'mpi = "{instead}" under [slurm]')


def _kinds(listed: str) -> list[str]:
    """The kinds that `srun --mpi=list` prints, one a line; older versions put `srun:` before each."""
    lines = (line.removeprefix("srun: ").split() for line in listed.splitlines())
    return [words[0] for words in lines if len(words) == 1 and words[0] != "none"]
