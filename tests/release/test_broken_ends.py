"""Ends that are killed, stopped, paused and switched off: lab.machine.{ends,pair}."""

from collections.abc import Callable, Iterator

import pytest
from tests.release.broken_ends import KILLED, OFF, PAUSED, STOPPED, Break, fate, judge

from lab.model.trial import Outcome
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite

Measured = Callable[[Outcome], Outcome]
# A fixed few of what `make broken-ends` tries at random.
SOME = [Break(KILLED, 0, 0.3), Break(KILLED, 1, 1.1), Break(STOPPED, 1, 0.7), Break(PAUSED, 0, 0.9), Break(OFF, 1, 2.0)]


@pytest.fixture(scope="module")
def impatient(exact: ExactSite) -> Iterator[ExactSite]:
    """The same machine on a site of its own, which gives each trial another limit."""
    exact.verified_snapshot()
    site = ExactSite(MACHINE, CACHE)
    yield site
    site.stop()


@pytest.fixture(scope="module")
def good(exact: ExactSite, measured: Measured) -> Outcome:
    """The trial with whole ends."""
    return measured(exact.run(SOME[0].job))


@pytest.mark.parametrize("broken", SOME, ids=lambda each: f"{each.how} {each.end}")
def test_a_trial_with_a_broken_end_ends_in_time_and_in_words_or_whole(
    good: Outcome, impatient: ExactSite, measured: Measured, broken: Break
) -> None:
    judge(broken, fate(impatient, broken), measured, good)
