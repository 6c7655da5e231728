"""Start both ranks of an MPI program; how depends on the link between the two ends.

Slurm starts both if it has a PMI that the MPI library supports. Open MPI uses a remote shell to start its daemon at
the server's end. Verbyte's remote shell is `echo`: it prints the command, and the site runs the command there like a
server. Neither end needs to log in to the other.
"""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lab.model.trial import DAEMON, ECHO, LAUNCHER, PLAIN, Step

Words = tuple[str, ...]


@dataclass(frozen=True)
class Rank:
    host: str
    values: tuple[tuple[str, str], ...]  # its environment variables
    command: Words


Starter = Callable[[dict[str, str], tuple[Rank, Rank]], Step]

# A waiting rank yields, since both ranks may share CPUs.
SHARING = ("--mca", "mpi_yield_when_idle", "1")
ISOLATED = (LAUNCHER, "--allow-run-as-root", "--oversubscribe", "--mca", "plm", "isolated", *SHARING)
ASKING = ("--mca", "plm", "rsh", "--mca", "plm_rsh_agent", ECHO, "--mca", "plm_rsh_no_tree_spawn", "1")
APART = (LAUNCHER, "--allow-run-as-root", *ASKING, "--leave-session-attached", "--wdir", "/")
# An address for documentation (RFC 5737): nothing connects to it, since the daemon connects to the launcher.
NOT_HERE = "192.0.2.2"
# Within a Slurm allocation: the launcher runs on its first node, and srun starts the daemon on the second.
DAEMON_BY_SRUN = ("--mca", "plm", "slurm", "--mca", "plm_slurm_args", "--mpi=none --overlap")
ON_NODES = (LAUNCHER, "--allow-run-as-root", *DAEMON_BY_SRUN)
NODES = ("+n0", "+n1")
SRUN = ("srun", "--nodes=2", "--ntasks=2", "--ntasks-per-node=1", "--overlap", "--quiet", "--kill-on-bad-exit=1")


def launch_together(settings: dict[str, str], ranks: Sequence[Rank]) -> Step:
    """Return the step that runs a rank on each of several computers: the launcher on the first, a daemon on others."""
    step = _apart(settings, ranks)
    return replace(step, server=(), ranks=(step.client, *(DAEMON,) * (len(ranks) - 1)))


def launch(launcher: str, settings: dict[str, str], ranks: tuple[Rank, Rank]) -> Step:
    """Return the step that runs both ranks with these MCA settings of Open MPI."""
    return starter(launcher)(settings, ranks)


def starter(launcher: str) -> Starter:
    """Return the starter with a name; in `srun:NAME`, NAME is the PMI. Raise ValueError for an unknown launcher."""
    name, _, pmi = launcher.partition(":")
    if pmi and name == "srun":
        return partial(_srun, pmi=pmi)
    if launcher not in LAUNCHERS:
        raise ValueError(f"no launcher is called {launcher!r:.40}")
    return LAUNCHERS[launcher]


def with_ranks_under(command: Words, launcher: Words) -> Words:
    """Insert a command before each rank's program, which follows `-np 1` and its `-x NAME=VALUE`."""
    words = list(launcher)
    for index in reversed([index for index, word in enumerate(launcher) if word == "-np"]):
        after = index + 2
        while words[after] == "-x":
            after += 2
        words[after:after] = command
    return tuple(words)


def _orterun(settings: dict[str, str], ranks: tuple[Rank, Rank]) -> Step:
    """Start both ranks on one host, which needs no daemon."""
    return Step.launched((*ISOLATED, *_arguments(settings, ranks, by_host=False)))


def _apart(settings: dict[str, str], ranks: Sequence[Rank], more: Words = ()) -> Step:
    return Step(DAEMON, (*APART, *more, *_arguments(settings, ranks)), 0)


def _beside(settings: dict[str, str], ranks: tuple[Rank, Rank]) -> Step:
    """Start ranks in two network namespaces of one host: the launcher must not start the second in the first's."""
    first, second = ranks
    return _apart(settings, (first, replace(second, host=NOT_HERE)), SHARING)


def _on_nodes(settings: dict[str, str], ranks: tuple[Rank, Rank]) -> Step:
    """Start a rank on each node by the allocation's names of nodes, which differ from the link's."""
    first, second = (replace(rank, host=node) for rank, node in zip(ranks, NODES, strict=True))
    return Step.launched((*ON_NODES, *_arguments(settings, (first, second))))


def _srun(settings: dict[str, str], ranks: tuple[Rank, Rank], pmi: str = "pmix") -> Step:
    shared = {f"OMPI_MCA_{name}": value for name, value in settings.items()}
    variables = ({**shared, **dict(rank.values)} for rank in ranks)
    first, second = (
        shlex.join(("env", *(f"{name}={value}" for name, value in values.items()), *rank.command))
        for values, rank in zip(variables, ranks, strict=True)
    )
    choice = f"case $SLURM_PROCID in 0) exec {first} ;; *) exec {second} ;; esac"
    return Step.launched((*SRUN, f"--mpi={pmi}", "sh", "-c", choice))


def _arguments(settings: dict[str, str], ranks: Sequence[Rank], *, by_host: bool = True) -> Words:
    """Return the settings of all ranks (`--mca`), then each rank's environment (`-x`) and program."""
    shared = (word for name, value in settings.items() for word in ("--mca", name, value))
    each = (
        (
            *(("--host", rank.host) if by_host else ()),
            *("-np", "1", *(word for name, value in rank.values for word in ("-x", f"{name}={value}"))),
            *rank.command,
        )
        for rank in ranks
    )
    return (*shared, *(word for words in each for word in (*words, ":")))[:-1]


LAUNCHERS: dict[str, Starter] = {
    PLAIN: _orterun,
    "orterun apart": _apart,
    "orterun beside": _beside,
    "orterun on nodes": _on_nodes,
    "srun": _srun,
}
