"""hosts.toml: the computers of the sites ssh and slurm, as their user knows them."""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from lab.errors import SpecError
from lab.toml_lines import find_line

ORTERUN = "orterun"
PROGRAMS_FOLDER = "~/.cache/lab/programs"


@dataclass(frozen=True)
class Host:
    """One end: how to log in there, and its end of the data link, of which the lab finds what is not said."""

    login: str  # as ssh takes it
    address: str = ""  # of the data link, which may differ from where one logs in
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
    options: tuple[str, ...] = ()  # more for sbatch, as one types them
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


T = TypeVar("T")


def read_ssh(file: Path) -> Ssh:
    """The table [ssh]."""
    table = _table(file, "ssh")
    for name in ("client", "server"):
        if not isinstance(table.get(name), dict):
            raise _error(file, ("ssh",), f"[ssh] has no {name}", f'{name} = {{ login = "HOST" }}')
        table[name] = _make(Host, file, ("ssh", name), table[name])
    return _make(Ssh, file, ("ssh",), table)


def read_slurm(file: Path) -> Slurm:
    """The table [slurm], or defaults: a cluster may need nothing."""
    return _make(Slurm, file, ("slurm",), _table(file, "slurm") if file.exists() else {})


def has(file: Path, name: str) -> bool:
    """Whether there is such a table."""
    return file.exists() and name in _document(file)


def _table(file: Path, name: str) -> dict[str, Any]:
    table = _document(file).get(name)
    if not isinstance(table, dict):
        raise _error(file, (), f"there is no [{name}]", f"a table [{name}]; docs/sites.md shows one")
    return dict(table)


def _document(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text())
    except FileNotFoundError as error:
        raise SpecError(
            "is not there", file=file, hint="docs/sites.md shows one; or --site ssh:CLIENT,SERVER"
        ) from error
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"cannot be read: {error}", file=file) from error


def _make(kind: type[T], file: Path, path: tuple[str, ...], table: dict[str, Any]) -> T:
    """A frozen value of a table whose keys and types are those of the class."""
    known = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    for name, value in table.items():
        if name not in known:
            raise _error(file, (*path, name), f"{name} is not known here", f"one of {', '.join(known)}")
        example = known[name].default
        wanted = str if example is MISSING else list if isinstance(example, tuple) else type(example)
        if not isinstance(value, (wanted, Host)) or isinstance(value, bool):
            raise _error(file, (*path, name), f"{name} = {value!r}", f"a {wanted.__name__}")
    missing = [name for name, each in known.items() if each.default is MISSING and name not in table]
    if missing:
        raise _error(file, path, f"{missing[0]} is missing", f"{missing[0]} = ...")
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in table.items()})


def _error(file: Path, path: tuple[str, ...], what: str, expected: str) -> SpecError:
    line = find_line(file.read_text(), path) if path else None
    return SpecError(what, file=file, line=line, expected=expected)
