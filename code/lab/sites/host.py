"""This computer in wall-clock time: its own RDMA devices, or a cable between two network namespaces."""

from __future__ import annotations

import fcntl
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from lab.errors import SiteError, SiteStopped
from lab.sites import cable, own_devices, pair
from lab.sites.pair import PROGRAMS, Pair, refuse_without_device, run_job
from lab.trial import Ends, Job, Link, Outcome


class HostLink(Protocol):
    """Two agents and what lies between them."""

    pair: Pair

    def apply(self, link: Link) -> None:
        """Make the link as the job wants it, or refuse."""
        ...

    def close(self) -> None:
        """End both agents and undo what was made."""
        ...


class HostSite:
    """Runs one job after the other: two at once would measure each other."""

    name = "host"
    at_once: int | None = 1

    def __init__(self, ends: Ends, connect: Callable[[], HostLink], about: dict[str, str]) -> None:
        self.ends, self.connect, self.about = ends, connect, about
        self.lock, self.turn = threading.Lock(), threading.Lock()
        self.stopped = False
        self.link: HostLink | None = None
        self.known: dict[str, str] | None = None

    def identity(self) -> dict[str, str]:
        """This computer and its link."""
        if self.known is None:
            self.known = pair.identity(self.connected().pair, self.ends) | self.about
        return self.known

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Make the link."""
        del progress
        self.connected()

    def connected(self) -> HostLink:
        """The link, made anew if the last job broke it."""
        with self.lock:
            if self.stopped:
                raise SiteStopped("the host site was told to stop")
            if self.link is None:
                self.link = self.connect()
            return self.link

    def run(self, job: Job) -> Outcome:
        """Run a job when no other runs on this computer."""
        refuse_without_device(job)
        with self.turn, alone():
            link = self.connected()
            try:
                link.apply(job.link)
                state = pair.state(link.pair, self.ends)
                outcome = replace(run_job(_with_programs(link.pair, job), job), state=state)
            except SiteError as error:
                self.disconnect()
                if self.stopped:
                    raise SiteStopped("the host site was told to stop") from error
                raise
            if any(step.client_status or step.server_status for step in outcome.steps):
                self.disconnect()
            return outcome

    def disconnect(self) -> None:
        """What a broken job left of the link must not reach the next."""
        with self.lock:
            if self.link is not None:
                self.link.close()
            self.link = None

    def stop(self) -> None:
        """End both agents and all that they run."""
        self.stopped = True
        self.disconnect()


def _with_programs(ends: Pair, job: Job) -> Pair:
    places = {PROGRAMS + path.name: str(path) for path in job.overlay}

    def locate(word: str) -> str:
        return places.get(word, word)

    return replace(ends, locate={"client": locate, "server": locate})


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other run of this user measures on this computer."""
    file = Path(tempfile.gettempdir()) / f"lab-host-{os.getuid()}.lock"
    with file.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def open(wanted: str = "", _: Path | None = None) -> HostSite:  # noqa: A001 - as every site's module
    """`host` takes RDMA devices if there are any, `host:cable` never, `host:DEVICE,DEVICE` those."""
    found = () if wanted == "cable" else own_devices.choose(wanted)
    if not found:
        return HostSite(cable.ENDS, cable.Cable, {"cable": "veth between two network namespaces"})
    ends = own_devices.ends(found)
    return HostSite(ends, lambda: own_devices.OwnDevices(ends), own_devices.about(found))
