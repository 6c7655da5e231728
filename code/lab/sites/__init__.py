"""Where trials run: the protocol of every site, and how one is opened by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from lab.errors import SiteError
from lab.model.trial import Ends, Job, Outcome
from lab.places import HOSTS
from lab.sites.traits import Traits

MODULES = {name: f"lab.sites.{name}" for name in ("exact", "vm", "host", "ssh", "slurm")}
EVERYWHERE = "exact"  # the site that every computer can have: `lab doctor` fails only for this one

Tell = Callable[[str], None]  # takes a sentence about what takes time, and why


def silent(_: str) -> None:
    """Tell nobody: prepare() has told it already."""


class Site(Protocol):
    """A place that runs jobs."""

    name: str
    boots_image: bool  # programs under test run in the lab's image, whatever this computer's system is
    at_once: int | None  # trials that do not disturb each other; None: as many as there are processors

    @property
    def ends(self) -> Ends:
        """Addresses and devices of both ends of the data link."""
        ...

    @property
    def traits(self) -> Traits:
        """What the site and its link are."""
        ...

    def identity(self) -> dict[str, str]:
        """What two records must share to be of one site: compared, stable, cheap after the first call."""
        ...

    def prepare(self, progress: Tell) -> None:
        """Build and freeze what is not cached; otherwise do nothing."""
        ...

    def run(self, job: Job) -> Outcome:
        """Run one job; blocking, thread-safe; raises SiteError."""
        ...

    def stop(self) -> None:
        """End every process of this site now; run() in other threads then raises SiteStopped."""
        ...


@runtime_checkable
class Witness(Protocol):
    """A site whose link sees every frame, where no program reaches."""

    def run_watched(self, job: Job, logs: Path) -> Outcome:
        """Run one job; the folder gets each end's log of the link (lab.machine.frames)."""
        ...


def open_site(named: str, hosts: Path = HOSTS) -> Site:
    """`host`, or `host:WHICH` where a site has several. Its module is imported only now: a plan needs no other."""
    name, _, wanted = require_known(named).partition(":")
    return cast(Site, import_module(MODULES[name]).open(wanted, hosts))


def require_known(named: str) -> str:
    """The name as given; an error if there is no such site."""
    name = named.partition(":")[0]
    if name not in MODULES:
        raise SiteError(f"there is no site called {name!r}", hint="one of: " + ", ".join(MODULES))
    return named
