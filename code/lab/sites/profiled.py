"""The exact site with a second plugin in QEMU, which counts how often each instruction of both ends begins.

Neither the guest nor its clock notices: a job leaves what it leaves without.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.compiler import plugin
from lab.machine import frozen
from lab.machine.image import Image
from lab.machine.origin import Counting, Origin
from lab.machine.plugin import PROFILE
from lab.model.trial import Job, Outcome
from lab.places import CACHE, MACHINE
from lab.sites import silent
from lab.sites.exact import ExactSite


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
        self.counter = Counting(plugin.built(self.machine, self.cache, progress, PROFILE), files)

    def image(self) -> Image:
        """What the machine boots."""
        return self.made(silent).image

    def started(self, machine: frozen.Frozen) -> Origin:
        """The pair of which each run is a copy, with the plugin."""
        return Origin(machine, frozen.WARM_UP, self.counter)

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
