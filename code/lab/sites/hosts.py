"""hosts.toml, and the site that is used when none is named."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NoReturn

from lab.errors import SpecError
from lab.files.toml import read_toml
from lab.model.trial import MOST_COMPUTERS
from lab.sites.agent import computer
from lab.sites.site import EVERYWHERE
from lab.typed_json import TEXT, Limits

ORTERUN = "orterun"
PROGRAMS_FOLDER = "~/.cache/lab/programs"


Word = Annotated[str, Limits(pattern=r"(?!-)\S{0,200}", expected="a word that begins with no hyphen")]
Line = Annotated[str, Limits(longest=1000, pattern=r"[^\n]*", expected="one line")]
Lines = Annotated[tuple[Annotated[Line, TEXT], ...], Limits(longest=100)]
Folder = Annotated[str, Limits(longest=1000, pattern="|(?!-).*[^/.~].*", expected="a folder below / or ~")]
LOGIN = Limits(pattern=r"(?!-)\S{1,200}", expected="a word that ssh takes, such as ada@node1")
HOST = '{ login = "HOST" }'


@dataclass(frozen=True)
class Host:
    """One end: its login, and its end of the data link, which Verbyte completes."""

    login: Annotated[str, LOGIN, '"HOST"']
    address: Word = ""  # on the data link; the login may use another network
    interface: Word = ""
    device: Word = ""  # RDMA
    folder: Annotated[Folder, TEXT] = PROGRAMS_FOLDER  # where the programs under test are kept


@dataclass(frozen=True)
class Ssh:
    client: Annotated[Host, HOST]
    server: Annotated[Host, HOST]
    config: Line = ""  # an ssh_config instead of the user's own
    others: Annotated[tuple[Host, ...], Limits(longest=MOST_COMPUTERS - 2)] = ()  # for programs with `each`

    @property
    def hosts(self) -> tuple[Host, ...]:
        return (self.client, self.server, *self.others)


@dataclass(frozen=True)
class Slurm:
    """Options for a cluster's queue, and the measured link of its nodes."""

    account: Word = ""
    partition: Word = ""
    constraint: Line = ""
    minutes: Annotated[int, Limits(least=1, most=525_600)] = 30  # of one trial at most; up to a year
    modules: Lines = ()
    options: Lines = ()  # more options for sbatch
    mpi: Word = "pmix"  # as `srun --mpi` takes it; or "orterun"
    interface: Word = ""
    device: Word = ""
    spool: Folder = ""  # a folder that all nodes see; default: in this checkout
    patience_s: Annotated[int, Limits(least=0, most=604_800)] = 60  # for a job whose nodes are down; up to a week

    @property
    def launcher(self) -> str:
        """How both ranks of an MPI program are started: a name for programs.launchers."""
        return {Slurm.mpi: "srun", ORTERUN: "orterun on nodes"}.get(self.mpi, f"srun:{self.mpi}")


@dataclass(frozen=True)
class Hosts:
    ssh: Ssh | None = None
    slurm: Slurm | None = None


def read_hosts(file: Path) -> Hosts:
    return read_toml(file, Hosts, hint="docs/real-links.md shows one; or --site ssh:CLIENT,SERVER").content


def read_ssh(file: Path) -> Ssh:
    return read_hosts(file).ssh or _refuse_missing(file, "ssh")


def read_slurm(file: Path) -> Slurm:
    """The table [slurm], or defaults without the file: a cluster may need no settings."""
    return (read_hosts(file).slurm or _refuse_missing(file, "slurm")) if file.exists() else Slurm()


def has(file: Path, name: str) -> bool:
    return file.exists() and getattr(read_hosts(file), name) is not None


def _refuse_missing(file: Path, name: str) -> NoReturn:
    raise SpecError(f"there is no [{name}]", file=file, expected=f"a table [{name}]; docs/real-links.md shows one")


ANY = "any"  # for commands that read records: the site with most records


def choose(file: Path) -> tuple[str, str]:
    """The site's name, and the reason for it."""
    for name in computer.devices():
        is_hardware = (computer.SYS / "class/infiniband" / name / "device").exists()
        if is_hardware and "ACTIVE" in computer.port_state(name):
            return "host", f"this computer has the RDMA device {name}"
    hosts = read_hosts(file) if file.exists() else Hosts()
    if (ssh := hosts.ssh) and (device := ssh.client.device or ssh.server.device):
        return "ssh", f"{file.name} names the RDMA device {device}"
    if hosts.slurm and hosts.slurm.device:
        return "slurm", f"{file.name} names the RDMA device {hosts.slurm.device}"
    return EVERYWHERE, f"no RDMA device on this computer or in {file.name}"
