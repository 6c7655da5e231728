"""The head of a script for sbatch, as hosts.toml says: the options, the shell, the modules."""

from __future__ import annotations

import shlex

from lab.sites.hosts import Slurm

LOAD = "module load {name} || {{ echo the module {name} cannot be loaded; exit 1; }}\n"


def options(cluster: Slurm) -> tuple[str, ...]:
    """The options for sbatch, or for srun outside a job."""
    named = {name: getattr(cluster, name) for name in ("account", "partition", "constraint")}
    return (*(f"--{name}={value}" for name, value in named.items() if value), *cluster.options)


def shell(cluster: Slurm) -> str:
    """The first line: a login shell knows `module`, and forgets this PATH."""
    return f"#!/bin/bash{' -l' if cluster.modules else ''}\n"


def load(cluster: Slurm) -> str:
    """The lines that load the modules, or end the job with a sentence."""
    return "".join(LOAD.format(name=shlex.quote(each)) for each in cluster.modules)
