"""A site of agents on a wall clock: one job after the other, with a new link after a job that broke it."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property

from lab.errors import SiteError, SiteStopped, Tell
from lab.model.trial import Ends, Job, Link, Outcome
from lab.sites.agent import jobs
from lab.sites.agent.client import kept, locator
from lab.sites.agent.jobs import Agents
from lab.sites.site import Traits, silent


class RealLink:
    """Two or more agents on this host and a real link between them. Subclasses use other hosts or make their link."""

    agents: Agents
    ends: Ends
    about: dict[str, str]  # its identity, without that of both hosts
    traits: Traits
    switched: int | None = None  # computers that its switch joins, 0 without a switch; None: it serves every job

    def apply(self, link: Link) -> None:
        """Make the link of a job's model; a real link refuses the model."""
        refuse_model(link)

    def with_programs(self, job: Job) -> Agents:
        """The agents, each with the paths of the programs under test."""
        return replace(self.agents, locate=(locator(kept(job.overlay)),) * len(self.agents.far))

    def close(self) -> None:
        """End all agents and remove the link if it was made."""
        for far in self.agents.far:
            far.kill()


def refuse_model(link: Link) -> None:
    """Refuse all of a link model but its MTU: the record has the MTU of the link."""
    if link.card:
        raise SiteError(f"a real link has no modelled card: {link.card.name}", hint="--site exact")
    if link.is_modelled:
        raise SiteError("a real link takes no model of rate, delay, loss, queue or offload", hint="--site exact")


class WallSite:
    """Runs one job after the other: two at once would measure each other."""

    boots_image = False
    at_once: int | None = 1

    def __init__(
        self, name: str, connect: Callable[[int], RealLink], alone: Callable[[Tell], AbstractContextManager[object]]
    ) -> None:
        self.name, self.connect, self.alone = name, connect, alone  # connect() takes the number of switched computers
        self.tell: Tell = silent
        self.lock, self.turn = threading.Lock(), threading.Lock()
        self.stopped = False
        self.link: RealLink | None = None

    @property
    def ends(self) -> Ends:
        return self.facts[1]

    @property
    def traits(self) -> Traits:
        return self.facts[2]

    def identity(self) -> dict[str, str]:
        return self.facts[0]

    @cached_property
    def facts(self) -> tuple[dict[str, str], Ends, Traits]:
        link = self.connected()
        return jobs.identity(link.agents, link.ends) | link.about, link.ends, link.traits

    def prepare(self, progress: Tell) -> None:
        self.tell = progress
        self.connected()

    def connected(self, switched: int = 0) -> RealLink:
        """The link; connect again if the last job broke it or had another number of computers."""
        with self.lock:
            self.require_open()
            if self.link is not None and self.link.switched not in (None, switched):
                self.link.close()
                self.link = None
            if self.link is None:
                self.link = self.connect(switched)
            return self.link

    def run(self, job: Job) -> Outcome:
        with self.turn, self.alone(self.tell):
            try:
                link = self.connected(job.computers if job.is_switched else 0)
                link.apply(job.link)
                outcome = jobs.run_between(link.with_programs(job), link.ends, job)
            except SiteError as error:
                self.disconnect()
                self.require_open(error)
                raise
            if outcome.failed:
                self.disconnect()
            return outcome

    def require_open(self, cause: SiteError | None = None) -> None:
        if self.stopped:
            raise SiteStopped(f"the {self.name} site was stopped") from cause

    def disconnect(self) -> None:
        """Close the link; the next job connects again."""
        with self.lock:
            if self.link is not None:
                self.link.close()
            self.link = None

    def stop(self) -> None:
        self.stopped = True
        self.disconnect()
