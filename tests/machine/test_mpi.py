"""Two ranks of Open MPI, each on a computer of its own: nothing between them is shared memory."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

import pytest

from lab.model.trial import Job, Link, Outcome, Perturbation
from lab.places import BENCH, BENCH_SOURCES
from lab.programs.launchers import Rank, launch
from lab.programs.mpi import BINARY
from lab.sites.exact import ExactSite

SIZE, PINGS = 4096, 50
COMMAND = (f"/lab/bin/{BINARY}", "--mode", "ping-pong", "--calls", "blocking", "--sizes", f"{SIZE}@{PINGS}/0")
VERBOSE = ("OMPI_MCA_btl_base_verbose", "20")
USED = re.compile(r"Using (\w+) btl for send to \[\[\d+,1\],(\d)\]")
Run = Callable[[dict[str, str]], Outcome]


@pytest.fixture(scope="module")
def run(exact: ExactSite) -> Run:
    """Start both ranks, with Open MPI told which interface is the link, and to say what it takes."""
    subprocess.run(["make", "-s", "-C", BENCH_SOURCES], check=True)
    ends = (exact.ends.client, exact.ends.server)
    first, second = (Rank(end.host, (("OMPI_MCA_btl_tcp_if_include", end.interface),), COMMAND) for end in ends)

    def start(settings: dict[str, str]) -> Outcome:
        step = launch(exact.ends.launcher, settings, (first, second))
        environment = (("LAB_TOKEN", "t"), VERBOSE)
        return exact.run(Job((step,), Link(), Perturbation(), 60, environment, (BENCH / BINARY,)))

    return start


def test_what_is_sent_to_the_other_rank_takes_the_link_where_nobody_chose_a_transport(run: Run) -> None:
    outcome = run({})
    (step,) = outcome.steps
    assert step.client_status == 0, step
    assert {*USED.findall(step.client_err)} == {("self", "0"), ("self", "1"), ("tcp", "0"), ("tcp", "1")}
    for end in (0, 1):
        assert outcome.counters_after[f"link{end}.bytes"] > SIZE * PINGS


def test_who_asks_for_shared_memory_alone_is_told_that_there_is_none(run: Run) -> None:
    (step,) = run({"pml": "ob1", "btl": "self,vader"}).steps
    assert step.client_status != 0 and re.search(r"Component: +vader", step.client_err)
