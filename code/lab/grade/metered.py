"""A site on which one hand-in's own programs have a common bound of time, all checks and repetitions together.

The time is the site's own clock's, so that a busy computer costs nobody points; a busy second of the exact machine
takes 3 to 8 of a processor's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from lab.errors import SiteStopped, TrialFailed
from lab.machine.qemu import MachineError
from lab.model.trial import NS_PER_S, Ends, Job, Outcome
from lab.sites.site import Site, Traits, Witness


class Allowance:
    """What is left of the time; checks spend it in threads."""

    def __init__(self, seconds: int) -> None:
        self.seconds, self.left_ns, self.lock = seconds, seconds * NS_PER_S, threading.Lock()

    def run(self, job: Job, run: Callable[[], Outcome]) -> Outcome:
        """Run a job at the cost of the hand-in, if it is of its own programs."""
        if not job.stranger:
            return run()
        if self.left_ns <= 0:
            raise TrialFailed(
                f"the hand-in's own programs have run for more than {self.seconds} s, in all checks together"
            )
        try:
            outcome = run()
        except SiteStopped:
            raise
        except MachineError as error:  # a machine in which only they did anything
            self.spend(job.deadline_s * NS_PER_S)
            raise TrialFailed(f"the hand-in's own programs broke the machine: {error.what}") from error
        self.spend(outcome.clock_end_ns - outcome.clock_start_ns)
        return outcome

    def spend(self, time_ns: int) -> None:
        """Take it off."""
        with self.lock:
            self.left_ns -= time_ns


class Metered:
    """A site as one hand-in sees it."""

    def __init__(self, site: Site, allowance: Allowance) -> None:
        self.site, self.allowance = site, allowance
        self.name, self.boots_image, self.at_once = site.name, site.boots_image, site.at_once
        self.identity, self.prepare, self.stop = site.identity, site.prepare, site.stop

    @property
    def ends(self) -> Ends:
        return self.site.ends

    @property
    def traits(self) -> Traits:
        return self.site.traits

    def run(self, job: Job) -> Outcome:
        """Run one job, as far as the time lasts."""
        return self.allowance.run(job, lambda: self.site.run(job))


class MeteredWitness:
    """Who sees the link, for one hand-in."""

    def __init__(self, witness: Witness, allowance: Allowance) -> None:
        self.witness, self.allowance = witness, allowance

    def run_watched(self, job: Job, logs: Path) -> Outcome:
        """Run one job and log its link, as far as the time lasts."""
        return self.allowance.run(job, lambda: self.witness.run_watched(job, logs))
