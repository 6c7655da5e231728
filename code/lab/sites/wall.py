"""A site of two agents on a wall clock: one job after the other, and a new link after a job that broke it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from lab.errors import SiteError, SiteStopped
from lab.model.trial import Ends, Job, Link, Outcome
from lab.sites.agent import pair
from lab.sites.agent.pair import AgentPair
from lab.sites.site import Tell, Traits, silent


class PairLink(Protocol):
    """Two agents and what lies between them."""

    pair: AgentPair
    ends: Ends
    about: dict[str, str]  # its identity besides that of both computers
    traits: Traits

    def apply(self, link: Link) -> None:
        """Make the link as a job wants it, or refuse."""
        ...

    def with_programs(self, job: Job) -> AgentPair:
        """The agents, and where each finds the programs under test."""
        ...

    def close(self) -> None:
        """End both agents and undo what was made."""
        ...


class WallSite:
    """Runs one job after the other: two at once would measure each other."""

    boots_image = False
    at_once: int | None = 1

    def __init__(
        self,
        name: str,
        connect: Callable[[], PairLink],
        alone: Callable[[Tell], AbstractContextManager[object]],
        chosen: str = "",
    ) -> None:
        self.name, self.connect, self.alone = name, connect, alone
        self.chosen = chosen  # a sentence about how the link was chosen
        self.tell: Tell = silent
        self.lock, self.turn = threading.Lock(), threading.Lock()
        self.stopped = False
        self.link: PairLink | None = None
        self.known: tuple[dict[str, str], Ends, Traits] | None = None

    @property
    def ends(self) -> Ends:
        """Addresses and devices, as both ends say."""
        return self.found()[1]

    @property
    def traits(self) -> Traits:
        """The traits of the link."""
        return self.found()[2]

    def identity(self) -> dict[str, str]:
        """Both computers and their link."""
        return self.found()[0]

    def found(self) -> tuple[dict[str, str], Ends, Traits]:
        """The answers of both ends and the link to the first question."""
        if self.known is None:
            link = self.connected()
            self.known = pair.identity(link.pair, link.ends) | link.about, link.ends, link.traits
        return self.known

    def prepare(self, progress: Tell) -> None:
        """Make the link."""
        self.tell = progress
        if self.chosen:
            progress(self.chosen)
        self.connected()

    def connected(self) -> PairLink:
        """The link, made anew if the last job broke it."""
        with self.lock:
            if self.stopped:
                raise SiteStopped(f"the {self.name} site was told to stop")
            if self.link is None:
                self.link = self.connect()
            return self.link

    def run(self, job: Job) -> Outcome:
        """Run a job when no other runs here."""
        with self.turn, self.alone(self.tell):
            try:
                outcome = self.run_on(self.connected(), job)
            except SiteError as error:
                self.disconnect()
                if self.stopped:
                    raise SiteStopped(f"the {self.name} site was told to stop") from error
                raise
            if outcome.failed:
                self.disconnect()
            return outcome

    def run_on(self, link: PairLink, job: Job) -> Outcome:
        """Run a job on the link as it wants it."""
        link.apply(job.link)
        ends = link.with_programs(job)
        return pair.run_between(ends, link.ends, job)

    def disconnect(self) -> None:
        """Close the link of a job that broke it, before the next job."""
        with self.lock:
            if self.link is not None:
                self.link.close()
            self.link = None

    def stop(self) -> None:
        """End both agents and all that they run."""
        self.stopped = True
        self.disconnect()
