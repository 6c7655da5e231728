"""The QEMUs of a site while they run, so that they can be ended together."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lab.errors import SiteStopped
from lab.machine.qemu import MachineError, Runs


class Running:
    """A set of processes that can be ended, and closed for good."""

    def __init__(self, site: str) -> None:
        self.site = site
        self.lock = threading.Lock()
        self.stopped = False
        self.processes: set[Runs] = set()

    @contextmanager
    def watch(self, process: Runs) -> Iterator[None]:
        """Hold a process while it runs, so that stop() can end it."""
        with self.lock:
            self.processes.add(process)
            if self.stopped:
                process.kill()
        try:
            yield
        finally:
            with self.lock:
                self.processes.discard(process)

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """Turn an error that stop() caused into SiteStopped."""
        try:
            yield
        except MachineError:
            self.require_open()
            raise

    def require_open(self) -> None:
        """Raise SiteStopped where stop() was called."""
        if self.stopped:
            raise SiteStopped(f"the {self.site} site was told to stop")

    def stop(self) -> None:
        """End every one of them now, and those that come later at once."""
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.kill()
