"""Where trials run: the protocol and the traits of every site."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from lab.errors import RecordError, SiteError
from lab.model.trial import Ends, Job, Outcome
from lab.places import HOSTS
from lab.typed_json import JsonError, JsonValue, parse_as


class Clock(StrEnum):
    """What a site's time is."""

    INSTRUCTIONS = "instructions"  # the count of what each processor ran: a trial has but one result
    WALL = "wall"


class Shared(StrEnum):
    """The most that client and server have in common."""

    CORE = "core"  # one processor core, on which they take turns
    COMPUTER = "computer"  # its processors and its memory
    HOST = "host"  # they are two machines, but guests of one computer
    NOTHING = "nothing"


@dataclass(frozen=True)
class Traits:
    """The traits of a site with its link; a record repeats them, so that reading it needs no site."""

    clock: Clock
    shared: Shared
    takes_models: bool  # the link is made for the run, as a link model says; a real link takes none
    reachable: bool  # others than both ends can open connections to them

    @property
    def repeats(self) -> bool:
        """Whether a trial gives the same bytes each time, on whatever computer."""
        return self.clock is Clock.INSTRUCTIONS

    @property
    def one_core(self) -> bool:
        """Whether an end that spins keeps the other from running."""
        return self.shared is Shared.CORE


EXACT = Traits(Clock.INSTRUCTIONS, Shared.NOTHING, takes_models=True, reachable=False)
# These sites are the same on every computer: their traits are known before any is opened, whatever a record says.
FIXED = {"exact": EXACT}


def fixed(site: str) -> Traits | None:
    """The traits of a site that are the same on every computer."""
    return FIXED.get(site)


def read_traits(site: str, values: JsonValue) -> Traits:
    """The traits that a record of the site repeats."""
    try:
        return fixed(site) or parse_as(Traits, values)
    except JsonError as error:
        raise RecordError(f"it does not say what the site {site} is: {error.what}") from error


MODULES = {name: f"lab.sites.{name}" for name in ("exact", "vm", "host", "ssh", "slurm")}
EVERYWHERE = "exact"  # the site that every computer can have: `lab doctor` fails only for this one

Tell = Callable[[str], None]  # takes a sentence about what takes time, and why


def silent(_: str) -> None:
    """Ignore the sentence: prepare() has reported it already."""


class Site(Protocol):
    """A place that runs jobs."""

    name: str
    boots_image: bool  # programs under test run in the lab's image, whatever this computer's system is
    at_once: int | None  # trials that do not disturb each other; None: as many as there are processors

    @property
    def ends(self) -> Ends:
        """Addresses and devices of both ends of the data link."""

    @property
    def traits(self) -> Traits:
        """What the site and its link are."""

    def identity(self) -> dict[str, str]:
        """What two records must share to be of one site: compared, stable, cheap after the first call."""

    def prepare(self, progress: Tell) -> None:
        """Build and freeze what is not cached; otherwise do nothing."""

    def run(self, job: Job) -> Outcome:
        """Run one job; blocking, thread-safe; raises SiteError."""

    def stop(self) -> None:
        """End every process of this site now; run() in other threads then raises SiteStopped."""


@runtime_checkable
class Witness(Protocol):
    """A site whose link sees every frame, where no program reaches."""

    def run_watched(self, job: Job, logs: Path) -> Outcome:
        """Run one job; the folder gets each end's log of the link (lab.machine.results)."""


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
