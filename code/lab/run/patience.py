"""A word about an own program that runs for long: whoever waits learns why, before the deadline ends it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lab.plan.plan import Planned, SiteFacts
from lab.sites import Tell

FIRST_S = 30.0  # of this computer; an own program's trial takes less
AGAIN = 4.0  # the next word comes after so many times as long


@contextmanager
def patience(planned: Planned, site: SiteFacts, tell: Tell, first_s: float = FIRST_S) -> Iterator[None]:
    """Say now and then that the trial of an own program still runs."""
    over = threading.Event()
    if planned.series.tool.build:
        threading.Thread(target=_speak, args=(over, planned, site, tell, first_s), daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _speak(over: threading.Event, planned: Planned, site: SiteFacts, tell: Tell, first_s: float) -> None:
    wait_s, passed_s = first_s, 0.0
    while not over.wait(wait_s):
        passed_s += wait_s
        tell(_sentence(planned, site, passed_s))
        wait_s = (AGAIN - 1) * passed_s


def _sentence(planned: Planned, site: SiteFacts, passed_s: float) -> str:
    deadline_s = planned.trial.job.deadline_s
    clock = ""
    if site.traits.repeats:
        clock = " of the machine's clock, each of which takes several of this computer's while a program polls"
    return (
        f"{planned.series.name} repetition {planned.repetition} has run for {passed_s:.0f} s; if a program waits for "
        f"what never comes, its deadline ends it after {deadline_s} s{clock} "
        "(try: deadline_s in [parameters], fewer iterations)"
    )
