"""The jobs that every host runs, by name, from the lab's own plans."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lab.files.store import exclusive, put_file
from lab.model.trial import Job, Link, Perturbation, Step
from lab.places import CACHE
from lab.plan.plan import Plan
from lab.plan.planning import open_workshop
from lab.sites.site import Site

SHARED = CACHE / "hosts" / "shared"  # made once by the reference; every host sees it
NAPS = SHARED / "naps"  # sleeps 20,000 times: it finds a clock that is not exact soonest
HERE = Path(__file__).parent
KINDS = HERE / "kinds.toml"
# naps has no server of its own: something must hold the port, and be asked so that it ends.
SERVER = ("iperf3", "-s", "-1", "-B", "10.0.0.2")
CLIENT = ("sh", "-c", "/lab/bin/naps && exec iperf3 -c 10.0.0.2 -B 10.0.0.1 -n 1K --json")
RACES = 5  # in one restored machine: where QEMU itself is emulated, to restore it takes longer than a run

Named = dict[str, Job]


def compile_naps() -> None:
    """The program of the race, compiled here, so that all hosts run the same bytes."""
    NAPS.parent.mkdir(parents=True, exist_ok=True)
    with exclusive(NAPS.with_name("lock")), put_file(NAPS) as file:
        subprocess.run(["gcc", "-O2", "-static", "-o", file, HERE.parent / "machine" / "naps.c"], check=True)


def race(_: Site, runs: int = RACES) -> Named:
    """The one job that a clock with a race does not repeat: so many runs, one after the other."""
    return {"naps": Job((Step(SERVER, CLIENT, 5201),) * runs, Link(), Perturbation(), 30, overlay=(NAPS,))}


def kinds(site: Site) -> Named:
    """A trial of every kind, and a run of the race."""
    return trials([KINDS], site) | race(site, 1)


def few(site: Site) -> Named:
    """One of verbs, one of TCP, and a run of the race."""
    wanted = ("kinds/verbs.write/", "kinds/tcp/", "naps")
    return {name: job for name, job in kinds(site).items() if name.startswith(wanted)}


def trials(files: Iterable[Path], site: Site) -> Named:
    """The trials of some experiments."""
    shop = open_workshop(files, site, lambda said: print(said, file=sys.stderr, flush=True))
    return {name: job for plan in shop.plans for name, job in _of(plan).items()}


def _of(plan: Plan) -> Named:
    named = {each.trial.key: each for each in plan.planned}
    return {f"{plan.experiment.name}/{each.series.name}/{key[:12]}": each.trial.job for key, each in named.items()}


PARTS: Mapping[str, Callable[[Site], Named]] = {"race": race, "kinds": kinds}
