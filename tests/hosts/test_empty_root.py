"""A row of the matrix that every computer can measure: QEMU in a root with nothing else, as a user without rights."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.hosts.elsewhere import WithRunner, empty
from tests.hosts.jobs import compile_naps, few
from tests.hosts.outcomes import FAILED, said_of

from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite


@pytest.fixture
def site() -> Iterator[ExactSite]:
    site = ExactSite(MACHINE, CACHE)
    site.prepare(print)
    yield site
    site.stop()


@pytest.mark.usefixtures("users_namespaces")
def test_jobs_in_an_empty_root_leave_the_same_bytes(site: ExactSite) -> None:
    compile_naps()
    jobs = list(few(site).values())
    shut_in = WithRunner(empty())
    with ThreadPoolExecutor(2) as pool:
        here = list(pool.map(lambda job: said_of(site, job), jobs))
        there = list(pool.map(lambda job: said_of(shut_in, job), jobs))
    assert len(set(here)) == 3 and not [said for said in here if said.startswith(FAILED)]
    assert there == here
