"""The clocks of both computers, for programs that compare them: code/bench/set_clock.c, lab.machine.job."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from lab.model.trial import Job, Link
from lab.places import BENCH_SOURCES, SET_CLOCK
from lab.sites.exact import ExactSite

# Both clocks that no link sets are in step, so that what each end's other clock is ahead of it can be compared.
BETWEEN_TWO_CALLS_NS = 500


class Apart(NamedTuple):
    """What the server's clock is ahead of the client's, and how much more a second later."""

    offset_ns: int
    drift_ns: int


@pytest.fixture(scope="module")
def apart(
    exact: ExactSite, shell: Callable[..., Job], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Apart]:
    """Compare the clocks over a link."""
    clocks = tmp_path_factory.mktemp("clocks") / "clocks"
    subprocess.run(["gcc", "-O2", "-static", "-o", clocks, Path(__file__).with_name("clocks.c")], check=True)
    subprocess.run(["make", "-s", "-C", BENCH_SOURCES], check=True)

    def compare(link: Link) -> Apart:
        server = "/lab/bin/clocks; exec iperf3 -s -1 -B 10.0.0.2"
        job = shell("sleep 1; exec /lab/bin/clocks", server=server, link=link, overlay=(clocks, SET_CLOCK))
        (step,) = exact.run(job).steps
        here, there = ([int(line) for line in text.split()[:2]] for text in (step.client_out, step.server_out))
        return Apart(there[0] - here[0], there[1] - there[0] - (here[1] - here[0]))

    return compare


def test_clocks_are_equal_where_no_link_sets_them(apart: Callable[..., Apart]) -> None:
    assert all(abs(ns) < BETWEEN_TWO_CALLS_NS for ns in apart(Link()))


@pytest.mark.parametrize("offset_ns", [1_500_000_250, -250_000_001])
def test_the_servers_clock_is_ahead_by_what_the_link_says(apart: Callable[..., Apart], offset_ns: int) -> None:
    found = apart(Link(clock_offset_ns=offset_ns))
    assert abs(found.offset_ns - offset_ns) < BETWEEN_TWO_CALLS_NS and abs(found.drift_ns) < BETWEEN_TWO_CALLS_NS


@pytest.mark.parametrize("drift_ppm", [20, -500])
def test_it_drifts_by_what_the_link_says(apart: Callable[..., Apart], drift_ppm: int) -> None:
    found = apart(Link(clock_drift_ppm=drift_ppm))
    assert abs(found.drift_ns - 1000 * drift_ppm) < 2 * BETWEEN_TWO_CALLS_NS


def test_who_is_told_of_no_clock_has_none_of_the_program(exact: ExactSite, shell: Callable[..., Job]) -> None:
    (step,) = exact.run(shell("ls /lab/bin")).steps
    assert step.client_out == ""
