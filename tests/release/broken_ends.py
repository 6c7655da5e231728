"""Trials whose ends are killed, stopped or switched off at random: each ends in time, in words or with its bytes.

`python -m tests.release.broken_ends 1000` tries so many, by another seed each time; with 4 behind it, trials of four
computers behind a switch.
"""

import os
import secrets
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue
from random import Random

from lab.errors import SiteError
from lab.machine.results import NAMES
from lab.model.trial import Job, Link, Outcome, Perturbation, Step
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite

# Of the host. A stopped machine never goes on, so that its trial takes its limit; on a busy computer others take long.
STOPPED_S, LIMIT_S, GRACE_S, LONGEST_PAUSE_S, LATEST_S = 6.0, 280.0, 120.0, 1.0, 1.5
SHOWN_AFTER = 50
AT_ONCE = 6  # a trial with a stopped end needs no CPU time
TALK = ("exec iperf3 -c 10.0.0.2 -B 10.0.0.1 -n 256K", "exec iperf3 -s -1 -B 10.0.0.2")
# Behind a switch, each asks the next one. Its cables are long, so that the machines seldom wait for each other.
RING, CABLE_NS = "ping -c 20 -i 0.01 10.0.0.{0} | tail -n 2", 8_000
KILLED, STOPPED, PAUSED, OFF = "killed", "stopped", "paused", "off"


@dataclass(frozen=True)
class Break:
    """What happens to an end, and when."""

    how: str
    end: int  # or the rank behind a switch
    after_s: float
    computers: int = 2

    @property
    def limit_s(self) -> float:
        """The host's seconds for its trial."""
        return STOPPED_S if self.how == STOPPED else LIMIT_S

    @property
    def job(self) -> Job:
        """A short trial; a guest goes off by itself after a time of its own clock."""
        off = f"(sleep {self.after_s / 50:.3f}; poweroff -f) & " if self.how == OFF else ""
        ring = tuple(RING.format(rank % self.computers + 1) for rank in range(1, self.computers + 1))
        talks = TALK if self.computers == 2 else ring
        commands = tuple(("sh", "-c", (off if end == self.end else "") + talk) for end, talk in enumerate(talks))
        if self.computers == 2:
            return Job((Step(commands[1], commands[0], 5201),), Link(), Perturbation(), deadline_s=20)
        link = Link(delay_ns=CABLE_NS, computers=self.computers)
        return Job((Step((), commands[0], 0, ranks=commands),), link, Perturbation(), deadline_s=20)

    @property
    def names(self) -> list[str]:
        """What messages call the machines."""
        ranks = [f"the computer of rank {rank}: " for rank in range(self.computers)]
        return ranks if self.computers > 2 else [f"the {each}'s machine: " for each in NAMES]

    @property
    def blamed(self) -> tuple[str, ...]:
        """What a message may name. Behind a switch, the process of rank 1 is a server, and all others are clients."""
        if self.how == STOPPED:
            return tuple(self.names)
        if self.how == OFF or self.computers == 2 or self.end == 1:
            return (self.names[self.end],)
        return tuple(name for rank, name in enumerate(self.names) if rank != 1)


def drawn(seed: int, computers: int) -> Break:
    random = Random(seed)
    how, end = random.choice((KILLED, STOPPED, PAUSED, OFF)), random.randrange(computers)
    return Break(how, end, random.uniform(0, LATEST_S), computers)


def fate(site: ExactSite, broken: Break) -> Outcome | SiteError:
    """What becomes of such a trial; it takes no longer than it may."""
    site.host_seconds = (0.0, broken.limit_s)
    started = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(site.run, broken.job)
        hurt(site, broken)
        try:
            found: Outcome | SiteError = run.result(broken.limit_s + GRACE_S)
        except SiteError as error:
            found = error
        except TimeoutError:
            raise AssertionError(f"it hangs: {broken}") from None
    assert time.monotonic() - started < broken.limit_s + GRACE_S, broken
    assert not site.running.processes, broken
    return found


def hurt(site: ExactSite, broken: Break) -> None:
    """Do to the machine of an end what is to be done, unless its trial is over by then."""
    if broken.how == OFF:
        return
    time.sleep(broken.after_s)
    with site.running.lock:
        found = [each for each in site.running.processes if each.name == NAMES[broken.end == 1]]
    for process in found[broken.end % max(len(found), 1) :][:1]:
        with suppress(ProcessLookupError):  # it ended, or was ended with the other one, a moment ago
            os.kill(process.pid, signal.SIGKILL if broken.how == KILLED else signal.SIGSTOP)
            if broken.how == PAUSED:
                time.sleep(broken.after_s % LONGEST_PAUSE_S)
                os.kill(process.pid, signal.SIGCONT)


def judge(broken: Break, found: Outcome | SiteError, whole: Callable[[Outcome], Outcome], good: Outcome) -> str:
    """One word for what became of it; an error if that may not be."""
    if isinstance(found, Outcome):
        assert broken.how == OFF or whole(found) == good, broken
        return "whole"
    said = str(found)
    assert said.startswith(broken.blamed) and "\n" not in said, (broken, said)
    assert broken.how != PAUSED, (broken, said)
    return "longer" if "ran longer than" in said else "in words"


def tried(sites: SimpleQueue[ExactSite], good: Outcome, computers: int, seed: int) -> tuple[str, str]:
    """What was done in a trial, and what became of it."""
    broken, site = drawn(seed, computers), sites.get()
    try:
        return broken.how, judge(broken, fate(site, broken), whole, good)
    finally:
        sites.put(site)


def whole(outcome: Outcome) -> Outcome:
    """All of it but the host's time."""
    return replace(outcome, host_seconds=0.0)


def main() -> None:
    """Many of them, some at once, each on a site of its own; what became of them so far, every now and then."""
    count, computers = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2
    sites = SimpleQueue[ExactSite]()
    for site in [ExactSite(MACHINE, CACHE) for _ in range(AT_ONCE)]:
        site.prepare(print)
        good = whole(site.run(Break(KILLED, 0, 0, computers).job))
        sites.put(site)
    seeds = [secrets.randbits(32) for _ in range(count)]
    found = Counter[tuple[str, str]]()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for each in pool.map(partial(tried, sites, good, computers), seeds):
            found[each] += 1
            if found.total() % SHOWN_AFTER == 0 or found.total() == len(seeds):
                counts = (f"{how} {count} {what}" for (how, what), count in sorted(found.items()))
                print(f"{found.total()}: {', '.join(counts)}", flush=True)


if __name__ == "__main__":
    main()
