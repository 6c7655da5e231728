"""Every site that trials can run on, opened once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.sites.jobs import Jobs

from lab.binaries import keep_binaries
from lab.places import BENCH
from lab.sites import Site, host
from lab.sites.exact import CACHE, MACHINE, ExactSite

SITES: dict[str, Callable[[], Site]] = {
    "exact": lambda: ExactSite(MACHINE, CACHE),
    "host": lambda: host.open("cable"),
}


@pytest.fixture(scope="session", params=SITES)
def open_again(request: pytest.FixtureRequest) -> Callable[[], Site]:
    """Opens the site under test, as often as a test likes."""
    return SITES[request.param]


@pytest.fixture(scope="session")
def site(open_again: Callable[[], Site]) -> Iterator[Site]:
    opened = open_again()
    opened.prepare(print)
    yield opened
    opened.stop()


@pytest.fixture(scope="session")
def programs() -> dict[Path, str]:
    return keep_binaries([BENCH / "tcp-server", BENCH / "tcp-client"])


@pytest.fixture
def jobs(site: Site, programs: dict[Path, str]) -> Jobs:
    return Jobs(site.ends, programs)
