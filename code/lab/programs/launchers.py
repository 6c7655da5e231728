"""Start the ranks of an MPI program; how depends on the link between the ends.

Slurm starts all if it has a PMI that the MPI library supports. Open MPI uses a remote shell to start its daemon at
the server's end. Verbyte's remote shell is `echo`: it prints the command, and the site runs the command there like a
server. No end needs to log in to the other.
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


# Makes the step that runs all ranks with some MCA settings of Open MPI.
Starter = Callable[[dict[str, str], Sequence[Rank]], Step]

# A waiting rank yields, since both ranks may share CPUs.
SHARING = ("--mca", "mpi_yield_when_idle", "1")
ISOLATED = (LAUNCHER, "--allow-run-as-root", "--oversubscribe", "--mca", "plm", "isolated", *SHARING)
ASKING = ("--mca", "plm", "rsh", "--mca", "plm_rsh_agent", ECHO, "--mca", "plm_rsh_no_tree_spawn", "1")
APART = (LAUNCHER, "--allow-run-as-root", *ASKING, "--leave-session-attached", "--wdir", "/")
# Addresses for documentation (RFC 5737): nothing connects to them, since daemons connect to the launcher.
NOT_HERE = "192.0.2.{}"
# Within a Slurm allocation: the launcher runs on its first node, and srun starts the daemon on the second.
DAEMON_BY_SRUN = ("--mca", "plm", "slurm", "--mca", "plm_slurm_args", "--mpi=none --overlap")
ON_NODES = (LAUNCHER, "--allow-run-as-root", *DAEMON_BY_SRUN)
# A barrier of Slurm 22.05's default kind let a rank pass early in 5 of 310 starts on a busy computer; then its first
# message met a rank without a receiver, which crashed. This kind: none of 275.
SRUN_OPTIONS = "--nodes={0} --ntasks={0} --ntasks-per-node=1 --overlap --quiet --kill-on-bad-exit=1"
SRUN = ("env", "SLURM_PMIX_FENCE=tree", "srun", *SRUN_OPTIONS.split())
# By default its ranks share data in memory, and PMIx 4.2.2 crashed in 5 of 70 starts on a busy computer.
UNSHARED = {"PMIX_MCA_gds": "hash"}


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


def _orterun(settings: dict[str, str], ranks: Sequence[Rank]) -> Step:
    """Start both ranks on one host, which needs no daemon."""
    return Step.launched((*ISOLATED, *_arguments(settings, ranks, by_host=False)))


def _apart(settings: dict[str, str], ranks: Sequence[Rank], more: Words = ()) -> Step:
    return Step(DAEMON, (*APART, *more, *_arguments(settings, ranks)), 0)


def _beside(settings: dict[str, str], ranks: Sequence[Rank]) -> Step:
    """Start ranks in network namespaces of one host: the launcher must not start the others in the first's."""
    first, *others = ranks
    apart = (replace(rank, host=NOT_HERE.format(number)) for number, rank in enumerate(others, 2))
    return _apart(settings, (first, *apart), SHARING)


def _on_nodes(settings: dict[str, str], ranks: Sequence[Rank]) -> Step:
    """Start a rank on each node by the allocation's names of nodes, which differ from the link's."""
    on_nodes = [replace(rank, host=f"+n{number}") for number, rank in enumerate(ranks)]
    return Step.launched((*ON_NODES, *_arguments(settings, on_nodes)))


def _srun(settings: dict[str, str], ranks: Sequence[Rank], pmi: str = "pmix") -> Step:
    shared = UNSHARED | {f"OMPI_MCA_{name}": value for name, value in settings.items()}
    variables = ({**shared, **dict(rank.values)} for rank in ranks)
    *firsts, last = (
        shlex.join(("env", *(f"{name}={value}" for name, value in values.items()), *rank.command))
        for values, rank in zip(variables, ranks, strict=True)
    )
    cases = "".join(f"{number}) exec {command} ;; " for number, command in enumerate(firsts))
    choice = f"case $SLURM_PROCID in {cases}*) exec {last} ;; esac"
    command = (word.format(len(ranks)) for word in SRUN)
    return Step.launched((*command, f"--mpi={pmi}", "sh", "-c", choice))


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
