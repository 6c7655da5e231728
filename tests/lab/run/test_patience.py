"""Notices about a student program that runs for long: lab.run.run."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.lab.fake_site import FakeSite

from lab.plan.plan import SiteFacts
from lab.programs.program import Build
from lab.run.run import patience
from lab.sites.site import Clock, Shared, Traits

WALL = Traits(Clock.WALL, Shared.NOTHING, takes_models=False, reachable=True)
OWN = Build(("make",), Path())
ENOUGH_S = 60.0


def trial(build: Build | None) -> Any:
    series = SimpleNamespace(name="mine", tool=SimpleNamespace(build=build))
    job = SimpleNamespace(deadline_s=120)
    return SimpleNamespace(series=series, repetition=3, trial=SimpleNamespace(job=job))


def said(traits: Traits, words: int) -> list[str]:
    """The first words about an own program that does not end."""
    heard, enough = list[str](), threading.Event()

    def tell(line: str) -> None:
        heard.append(line)
        if len(heard) == words:
            enough.set()

    facts = SiteFacts("a site", FakeSite().ends, {}, traits)
    with patience(trial(OWN), facts, tell, first_s=0.001):
        assert enough.wait(ENOUGH_S)
    return heard[:words]


def test_a_word_comes_before_the_deadline_and_another_much_later() -> None:
    first, second = said(FakeSite.traits, 2)
    assert first.startswith("mine repetition 3 has run for 0 s;") and second.startswith("mine repetition 3")
    assert "ends it after 120 s of the guest's clock (slower" in first


def test_a_second_of_a_wall_clock_is_one_of_this_computers() -> None:
    assert "ends it after 120 s (try: deadline_s" in said(WALL, 1)[0]


def test_nobody_waits_to_speak_about_the_labs_own_programs() -> None:
    before = set(threading.enumerate())
    with patience(trial(None), SiteFacts.of(FakeSite()), print, first_s=0.001):
        assert set(threading.enumerate()) <= before
