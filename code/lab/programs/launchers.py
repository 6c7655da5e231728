"""How both ranks of an MPI program are started, which depends on the link between the two ends.

Slurm starts both if it has a PMI that the MPI library supports. Open MPI uses a remote shell to start its daemon at
the other end. The lab's remote shell is `echo`: it prints the command, and the site starts the command there like a
server. No end needs to log in to the other.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from lab.model.trial import DAEMON, ECHO, PLAIN, Step

Words = tuple[str, ...]


@dataclass(frozen=True)
class Rank:
    host: str
    values: tuple[tuple[str, str], ...]  # its environment variables
    command: Words


Starter = Callable[[dict[str, str], tuple[Rank, Rank]], Step]

# A waiting rank yields, since both ranks may share processors.
SHARING = ("--mca", "mpi_yield_when_idle", "1")
ISOLATED = ("orterun", "--allow-run-as-root", "--oversubscribe", "--mca", "plm", "isolated", *SHARING)
ASKING = ("--mca", "plm", "rsh", "--mca", "plm_rsh_agent", ECHO, "--mca", "plm_rsh_no_tree_spawn", "1")
APART = ("orterun", "--allow-run-as-root", *ASKING, "--leave-session-attached", "--wdir", "/")
# No computer's address (RFC 5737); nobody connects to it, since our daemon connects to the launcher.
NOT_HERE = "192.0.2.2"
# Within an allocation: its first node is here, and srun starts the daemon on the second.
DAEMON_BY_SRUN = ("--mca", "plm", "slurm", "--mca", "plm_slurm_args", "--mpi=none --overlap")
ON_NODES = ("orterun", "--allow-run-as-root", *DAEMON_BY_SRUN)
NODES = ("+n0", "+n1")
SRUN = ("srun", "--nodes=2", "--ntasks=2", "--ntasks-per-node=1", "--overlap", "--quiet", "--kill-on-bad-exit=1")


def launch(launcher: str, settings: dict[str, str], ranks: tuple[Rank, Rank]) -> Step:
    """The step that runs both ranks; settings are Open MPI's (MCA), the same for both."""
    return starter(launcher)(settings, ranks)


def starter(launcher: str) -> Starter:
    """The starter of a name. The PMI follows `srun:` where it is not PMIx."""
    name, _, pmi = launcher.partition(":")
    if pmi and name == "srun":
        return partial(_srun, pmi=pmi)
    if launcher not in LAUNCHERS:
        raise ValueError(f"no launcher is called {launcher!r:.40}")
    return LAUNCHERS[launcher]


def with_ranks_under(command: Words, launcher: Words) -> Words:
    """A launcher's words that start each rank by a command; `_contexts` shows where ranks are."""
    words = list(launcher)
    for index in reversed([index for index, word in enumerate(launcher) if word == "-np"]):
        after = index + 2
        while words[after] == "-x":
            after += 2
        words[after:after] = command
    return tuple(words)


def _orterun(settings: dict[str, str], ranks: tuple[Rank, Rank]) -> Step:
    """Both ranks on one computer: no daemon is needed."""
    return Step.launched((*ISOLATED, *_mca(settings), *_contexts(ranks, by_host=False)))


def _apart(settings: dict[str, str], ranks: tuple[Rank, Rank], more: Words = ()) -> Step:
    """A rank at each end, the second one under a daemon."""
    return Step(DAEMON, (*APART, *more, *_mca(settings), *_contexts(ranks, by_host=True)), 0)


def _beside(settings: dict[str, str], ranks: tuple[Rank, Rank]) -> Step:
    """Two ends of one computer, each in its own network. The launcher must not start the second rank in its own."""
    first, second = ranks
    return _apart(settings, (first, replace(second, host=NOT_HERE)), SHARING)


def _on_nodes(settings: dict[str, str], ranks: tuple[Rank, Rank]) -> Step:
    """A rank on each node where srun can't start it: the allocation's names of nodes differ from the link's."""
    first, second = (replace(rank, host=node) for rank, node in zip(ranks, NODES, strict=True))
    return Step.launched((*ON_NODES, *_mca(settings), *_contexts((first, second), by_host=True)))


def _srun(settings: dict[str, str], ranks: tuple[Rank, Rank], pmi: str = "pmix") -> Step:
    """A rank on each node: task 0 on the first."""
    shared = {f"OMPI_MCA_{name}": value for name, value in settings.items()}
    variables = ({**shared, **dict(rank.values)} for rank in ranks)
    first, second = (
        shlex.join(("env", *(f"{name}={value}" for name, value in values.items()), *rank.command))
        for values, rank in zip(variables, ranks, strict=True)
    )
    choice = f"case $SLURM_PROCID in 0) exec {first} ;; *) exec {second} ;; esac"
    return Step.launched((*SRUN, f"--mpi={pmi}", "sh", "-c", choice))


def _mca(settings: dict[str, str]) -> Words:
    return tuple(word for name, value in settings.items() for word in ("--mca", name, value))


def _contexts(ranks: tuple[Rank, Rank], *, by_host: bool) -> Words:
    """The same program twice; `-x` is for one rank, `--mca` for both."""
    first, second = (
        (
            *(("--host", rank.host) if by_host else ()),
            *("-np", "1", *(word for name, value in rank.values for word in ("-x", f"{name}={value}"))),
            *rank.command,
        )
        for rank in ranks
    )
    return (*first, ":", *second)


LAUNCHERS: dict[str, Starter] = {
    PLAIN: _orterun,
    "orterun apart": _apart,
    "orterun beside": _beside,
    "orterun on nodes": _on_nodes,
    "srun": _srun,
}
