"""hosts.toml: the computers of the sites ssh and slurm, as their user knows them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.files.toml_file import read_toml
from lab.typed_json import JsonTable, parse_as

ORTERUN = "orterun"
PROGRAMS_FOLDER = "~/.cache/lab/programs"


@dataclass(frozen=True)
class Host:
    """One end: how to log in there, and its end of the data link; the lab finds missing parts."""

    login: str  # as ssh takes it
    address: str = ""  # on the data link; the login may go another way
    interface: str = ""
    device: str = ""  # RDMA
    folder: str = PROGRAMS_FOLDER  # where the programs under test are kept


@dataclass(frozen=True)
class Ssh:
    """Two hosts."""

    client: Host
    server: Host
    config: str = ""  # an ssh_config instead of the user's own


@dataclass(frozen=True)
class Slurm:
    """What a cluster must be told, and which link of its nodes is measured."""

    account: str = ""
    partition: str = ""
    constraint: str = ""
    minutes: int = 30  # of one trial at most
    modules: tuple[str, ...] = ()
    options: tuple[str, ...] = ()  # more words for sbatch
    mpi: str = "pmix"  # as `srun --mpi` takes it; or "orterun"
    interface: str = ""
    device: str = ""
    spool: str = ""  # a folder that all nodes see; default: in this checkout
    trials_per_task: int = 8
    patience_s: int = 60  # for a job whose nodes are down or drained

    @property
    def launcher(self) -> str:
        """How both ranks of an MPI program are started: a name for programs.launchers."""
        return {Slurm.mpi: "srun", ORTERUN: "orterun on nodes"}.get(self.mpi, f"srun:{self.mpi}")


def read_ssh(file: Path) -> Ssh:
    """The table [ssh]."""
    table = _table(file, "ssh")
    return parse_as(Ssh, table)


def read_slurm(file: Path) -> Slurm:
    """The table [slurm], or defaults: a cluster may need nothing."""
    table = _table(file, "slurm") if file.exists() else {}
    return parse_as(Slurm, table)


def has(file: Path, name: str) -> bool:
    """Whether there is such a table."""
    return file.exists() and name in read_toml(file, "hosts").document


def _table(file: Path, name: str) -> JsonTable:
    """A table, checked by hosts.json."""
    document = read_toml(file, "hosts", hint="docs/sites.md shows one; or --site ssh:CLIENT,SERVER").document
    if name not in document:
        expected = f"a table [{name}]; docs/sites.md shows one"
        raise SpecError(f"there is no [{name}]", file=file, expected=expected)
    return dict(document[name])
