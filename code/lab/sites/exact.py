"""The exact site: two VMs whose time is counted in instructions."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lab.compiler import plugins
from lab.errors import SiteError
from lab.machine import link, pair, results, runner, selfcheck, snapshot
from lab.machine.fork_server import Counting, Origin
from lab.machine.image import Image, build_image
from lab.machine.qemu import Running
from lab.machine.runner import PROFILE
from lab.machine.snapshot import Expected
from lab.model.trial import Job, Outcome
from lab.places import CACHE, MACHINE
from lab.sites.site import EXACT, Tell, silent
from lab.typed_json import JsonTable

# A busy second of the guest takes 3 to 8 of the host, more beside other work; start and end of a run take one.
HOST_SECONDS_PER_GUEST_SECOND = 30.0
HOST_SECONDS_MORE = 60.0


class ExactSite:
    """Runs every job from the same frozen instant, any number of them at once."""

    name = "exact"
    boots_image = True
    at_once: int | None = None
    traits = EXACT
    ends = results.ENDS

    def __init__(
        self,
        machine: Path,
        cache: Path,
        host_seconds: tuple[float, float] = (HOST_SECONDS_PER_GUEST_SECOND, HOST_SECONDS_MORE),
    ) -> None:
        self.machine = machine
        self.cache = cache
        self.host_seconds = host_seconds
        self.lock = threading.Lock()
        self.running = Running(self.name)
        self.starting = threading.Lock()
        self.origin: Origin | None = None
        self.known: snapshot.Recipe | None = None
        self.whole: snapshot.Frozen | None = None  # the machine, once its digests were checked
        self.state: JsonTable = {}  # what runs the machine: recorded, never compared
        self.tell: Tell = silent

    def identity(self) -> dict[str, str]:
        """The digest of the frozen memory, and QEMU's arguments."""
        return snapshot.identity(self.made(silent), self.cache, self.tell)

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Build the image and freeze the machine, unless that is done."""
        self.tell = progress
        snapshot.frozen_machine(self.made(progress), self.cache, progress)

    def made(self, progress: Callable[[str], None]) -> snapshot.Recipe:
        """The image, QEMU and its plugin, looked up once."""
        with self.lock:
            if self.known is None:
                image = build_image(self.machine, self.cache, progress)
                qemu = runner.carried(self.machine, self.cache, progress)
                made = plugins.built_plugin(self.machine, self.cache, progress)
                self.known = snapshot.Recipe(image, qemu, made, link.digest(self.machine), snapshot.read(self.machine))
            return self.known

    def asked(self) -> snapshot.Frozen:
        """The machine for all jobs of this process: its digests are asked before the first one, and on a computer that
        never ran it, whether it is exact here. That takes time which a command without a job need not spend."""
        made = self.made(silent)
        with self.lock:
            if self.whole is None:
                whole = snapshot.whole_machine(made, self.cache, self.tell)
                selfcheck.require_exact(whole, made.known, self.cache, partial(self._run, whole), self.tell)
                self.whole, self.state = whole, {"qemu": whole.runner.version()}
            return self.whole

    def expect(self, progress: Callable[[str], None]) -> Path:
        """Write what every computer must find that freezes and runs this machine: what this one finds."""
        snapshot.forget(self.machine)
        recipe = self.made(progress)
        whole = snapshot.whole_machine(recipe, self.cache, progress)
        checks = selfcheck.digests(partial(self._run, whole))
        host = runner.digests(self.machine, self.cache, progress)
        for section, digest in plugins.plugin_digests(self.machine, self.cache, progress).items():
            host[f"plugin {section.split()[-1]}"] = digest
        return snapshot.write(self.machine, Expected(recipe.digest, whole.digests(), checks, host))

    def run(self, job: Job) -> Outcome:
        """Run a job and wait for its outcome."""
        return self._run(self.asked(), job)

    def run_watched(self, job: Job, logs: Path) -> Outcome:
        """The same, and a folder gets every frame on the link as each end's wire saw it: see machine.pair."""
        return self._run(self.asked(), job, logs)

    def waiting(self, machine: snapshot.Frozen) -> Origin:
        """The pair of which each run is a copy; it ends with this site."""
        with self.starting:
            self.running.require_open()
            if self.origin is None or not self.origin.lives:
                self.origin = self.started(machine)
                weakref.finalize(self, self.origin.close)
            return self.origin

    def started(self, machine: snapshot.Frozen) -> Origin:
        """Such a pair, new."""
        return Origin(machine, snapshot.WARM_UP)

    def _run(self, machine: snapshot.Frozen, job: Job, logs: Path | None = None) -> Outcome:
        per_second, more = self.host_seconds
        limit_s = job.deadline_s * per_second + more
        with self.running.stoppable():
            outcome = pair.run(self.waiting(machine), job, limit_s, self.running.watch, logs, self.card(job))
        return replace(outcome, state=self.state)

    def card(self, job: Job) -> Path | None:
        """The device that a job's link asks for."""
        return plugins.device(self.machine, self.cache, self.tell) if job.link.card else None

    def stop(self) -> None:
        """End every QEMU of this site now."""
        self.running.stop()
        with self.starting:
            if self.origin is not None:
                self.origin.close()


def open(wanted: str = "", _: Path | None = None) -> ExactSite:  # noqa: A001 - as every site's module
    """The exact site of this checkout."""
    if wanted:
        raise SiteError(f"there is one exact site, none called {wanted!r}", hint="--site exact")
    return ExactSite(MACHINE, CACHE)


@dataclass(frozen=True)
class Profiled:
    """A job's outcome, and what the plugin wrote at each end."""

    outcome: Outcome
    client: bytes
    server: bytes


class ProfiledSite(ExactSite):
    """Runs one job after the other: each end has one file for its counts."""

    def __init__(self, machine: Path, cache: Path) -> None:
        super().__init__(machine, cache)
        self.counter: Counting | None = None
        self.turn = threading.Lock()

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Make what is missing, the plugin with it."""
        super().prepare(progress)
        files = (os.memfd_create("client"), os.memfd_create("server"))
        for each in files:
            weakref.finalize(self, os.close, each)
        self.counter = Counting(plugins.built_plugin(self.machine, self.cache, progress, PROFILE), files)

    def image(self) -> Image:
        """What the machine boots."""
        return self.made(silent).image

    def started(self, machine: snapshot.Frozen) -> Origin:
        """The pair of which each run is a copy, with the plugin."""
        return Origin(machine, snapshot.WARM_UP, self.counter)

    def count(self, job: Job) -> Profiled:
        """Run a job, and read the counts of its two ends."""
        with self.turn:
            outcome = self.run(job)
            assert self.counter is not None
            client, server = (_content(file) for file in self.counter.files)
        return Profiled(outcome, client, server)


def _content(file: int) -> bytes:
    return os.pread(file, os.fstat(file).st_size, 0)


def open_profiled() -> ProfiledSite:
    """That of this checkout."""
    return ProfiledSite(MACHINE, CACHE)
