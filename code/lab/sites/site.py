"""Where trials run: the protocol and the traits of every site."""

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from lab.errors import RecordError, SiteError, Tell
from lab.model.trial import Ends, Job, Outcome
from lab.places import HOSTS
from lab.typed_json import JsonError, JsonValue, parse_as


class Clock(StrEnum):
    INSTRUCTIONS = "instructions"  # executed instructions: a trial always has the same result
    WALL = "wall"


class Shared(StrEnum):
    """The most that client and server have in common."""

    CORE = "core"  # one CPU core
    COMPUTER = "computer"  # its CPUs and its memory
    HOST = "host"  # they are two VMs on one host
    NOTHING = "nothing"


@dataclass(frozen=True)
class Traits:
    """The traits of a site with its link; a record repeats them, so that reading it needs no site."""

    clock: Clock
    shared: Shared
    takes_models: bool  # the link is made for the run from a link model; a real link has none
    reachable: bool  # other hosts can open connections to both ends
    computers: int = 0  # on a wall clock: the most that start a program at once (`each`)

    @property
    def is_deterministic(self) -> bool:
        """Whether a trial gives the same bytes each time, on any host."""
        return self.clock is Clock.INSTRUCTIONS

    @property
    def one_core(self) -> bool:
        """Whether an end that spins keeps the other one from running."""
        return self.shared is Shared.CORE


EXACT = Traits(Clock.INSTRUCTIONS, Shared.NOTHING, takes_models=True, reachable=False)
FIXED_TRAITS = {"exact": EXACT}  # the sites with the same traits on every host


def read_traits(site: str, values: JsonValue) -> Traits:
    try:
        return FIXED_TRAITS.get(site) or parse_as(Traits, values)
    except JsonError as error:
        raise RecordError(f"it has no valid traits of the site {site}: {error.what}") from error


MODULES = {name: f"lab.sites.{name}" for name in ("exact", "vm", "host", "ssh", "slurm")}
EVERYWHERE = "exact"  # the site that runs on every host: `lab doctor` fails only for this one


def silent(_: str) -> None:
    """Print nothing: prepare() has reported it already."""


class Site(Protocol):
    name: str
    boots_image: bool  # programs under test run in Verbyte's image, not on the system of this host
    at_once: int | None  # trials that do not disturb each other; None: as many as there are CPUs

    @property
    def ends(self) -> Ends:
        """Addresses and devices of both ends of the data link."""

    @property
    def traits(self) -> Traits:
        """The traits of the site and its link."""

    def identity(self) -> dict[str, str]:
        """The facts that two records of one site share: stable, and cheap after the first call."""

    def prepare(self, progress: Tell) -> None:
        """Build all that is not cached."""

    def run(self, job: Job) -> Outcome:
        """Run one job; blocking, thread-safe; raises SiteError."""

    def stop(self) -> None:
        """End every process of this site; run() in other threads then raises SiteStopped."""


class Witness(Protocol):
    """A site whose link logs every frame, out of the reach of programs."""

    def run_watched(self, job: Job, logs: Path) -> Outcome:
        """Run one job; the folder gets each end's log of the link (lab.machine.results)."""


class Logged:
    """A site that keeps the latest outcome and, if it is a witness, the log of its link in a folder."""

    def __init__(self, site: Any, folder: Path) -> None:
        self.site, self.folder = site, folder
        self.outcome: Outcome | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.site, name)

    def run(self, job: Job) -> Outcome:
        watch = getattr(self.site, "run_watched", None)
        self.outcome = watch(job, self.folder) if watch else self.site.run(job)
        return self.outcome


def open_site(named: str, hosts: Path = HOSTS) -> Site:
    """Open `host`, or `host:WHICH` where a site has variants. Only this site's module is imported."""
    name, _, wanted = require_known(named).partition(":")
    return cast(Site, import_module(MODULES[name]).open(wanted, hosts))


def require_known(named: str) -> str:
    """Return the name; raise for an unknown site."""
    name = named.partition(":")[0]
    if name not in MODULES:
        raise SiteError(f"unknown site: {name!r}", hint="one of: " + ", ".join(MODULES))
    return named
