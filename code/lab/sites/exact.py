"""The exact site: a frozen machine in which time is the count of instructions.

A job gives the same bytes on every computer and under any load.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from lab.errors import SiteError
from lab.machine import frozen, guest, plugin
from lab.machine.image import Image, build_image
from lab.machine.runner import Runner, carried
from lab.machine.running import Running
from lab.model.trial import End, Ends, Job, Outcome
from lab.places import CACHE, MACHINE
from lab.sites import Tell, silent
from lab.sites.traits import EXACT

# A busy second of the guest takes 3 to 8 of the host, more beside other work; start and end of a run take one.
HOST_SECONDS_PER_GUEST_SECOND = 30.0
HOST_SECONDS_MORE = 60.0


class ExactSite:
    """Runs every job from the same frozen instant, any number of them at once."""

    name = "exact"
    at_once: int | None = None
    traits = EXACT
    ends = Ends(
        client=End("10.0.0.1", "rxe0", "v0"),
        server=End("10.0.0.2", "rxe1", "v1"),
        side_channel="127.0.0.1",
    )

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
        self.known: tuple[Image, Runner, Path] | None = None
        self.whole: frozen.Frozen | None = None  # the machine, once its digests were checked
        self.tell: Tell = silent

    def identity(self) -> dict[str, str]:
        """The digest of the image, QEMU's version and its arguments."""
        image, runner, _ = self.made(silent)
        return frozen.identity(image, runner)

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Build the image and freeze the machine, unless that is done."""
        self.tell = progress
        frozen.frozen_machine(*self.made(progress), self.cache, progress)

    def made(self, progress: Callable[[str], None]) -> tuple[Image, Runner, Path]:
        """The image, QEMU and its plugin, looked up once."""
        with self.lock:
            if self.known is None:
                image = build_image(self.machine, self.cache, progress)
                runner = carried(self.machine, self.cache, progress)
                self.known = image, runner, plugin.built(self.machine, self.cache)
            return self.known

    def asked(self) -> frozen.Frozen:
        """The machine for all jobs of this process: its digests are asked before the first one, since that takes time
        which a command without a job need not spend."""
        made = self.made(silent)
        with self.lock:
            if self.whole is None:
                self.whole = frozen.whole_machine(*made, self.cache, self.tell)
            return self.whole

    def run(self, job: Job) -> Outcome:
        """Run a job and wait for its outcome."""
        machine = self.asked()
        per_second, more = self.host_seconds
        with self.running.stoppable():
            return guest.run(machine, job, job.deadline_s * per_second + more, self.running.watch)

    def stop(self) -> None:
        """End every QEMU of this site now."""
        self.running.stop()


def open(wanted: str = "", _: Path | None = None) -> ExactSite:  # noqa: A001 - as every site's module
    """The exact site of this checkout."""
    if wanted:
        raise SiteError(f"there is one exact site, none called {wanted!r}", hint="--site exact")
    return ExactSite(MACHINE, CACHE)
