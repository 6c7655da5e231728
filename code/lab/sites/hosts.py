"""hosts.toml, and which site is used when none is named."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.files.toml import read_toml
from lab.sites.agent import computer
from lab.sites.site import EVERYWHERE
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


ANY = "any"  # for commands that read records: the site with most records


def choose(file: Path) -> tuple[str, str]:
    """The site's name, and why."""
    if own := real_devices():
        return "host", f"this computer has the RDMA device {own[0]}"
    if has(file, "ssh"):
        ssh = read_ssh(file)
        if named := ssh.client.device or ssh.server.device:
            return "ssh", f"{file.name} names the RDMA device {named}"
    if has(file, "slurm") and (named := read_slurm(file).device):
        return "slurm", f"{file.name} names the RDMA device {named}"
    return EVERYWHERE, f"no RDMA device on this computer or in {file.name}"


def real_devices() -> list[str]:
    """Devices of hardware whose port is up: those of software have no device behind them."""
    folder = computer.SYS / "class/infiniband"
    return [
        name
        for name in computer.devices()
        if (folder / name / "device").exists() and "ACTIVE" in computer.port_state(name)
    ]
