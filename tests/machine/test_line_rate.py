"""The physical limit of a line, frame by frame, by the own log of the wire: lab.machine.{wire,pair,frames}."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from lab.machine import results
from lab.machine.link import BASE_NS
from lab.machine.results import Frame
from lab.model.trial import Job, Link
from lab.sites.exact import ExactSite

Shell = Callable[..., Job]
Logged = Callable[[Job], tuple[list[Frame], list[Frame]]]
PAYLOAD_SHARE = 1448 / 1538
RATES = [10**9, 10**10, 10**11]


@pytest.fixture
def logged(exact: ExactSite, tmp_path: Path) -> Logged:
    """Run a job; what the client sent, and when each frame of it came."""

    def run(job: Job) -> tuple[list[Frame], list[Frame]]:
        (step,) = exact.run_watched(job, tmp_path).steps
        assert (step.client_status, step.server_status) == (0, 0), step
        client, server = (list(results.read(tmp_path / f"{name}.pcapng")) for name in ("client", "server"))
        return [each for each in client if each.goes_out], [each for each in server if not each.goes_out]

    return run


def transfer(shell: Shell, rate: int, size: str) -> Job:
    client = f"exec iperf3 -c 10.0.0.2 -B 10.0.0.1 --json -n {size}"
    return shell(client, link=Link(mtu=1500, rate_bit_s=rate))


def line_ns(sent: list[Frame], rate: int) -> float:
    return sum(each.line_bytes for each in sent) * 8e9 / rate


@pytest.mark.parametrize("rate", RATES)
def test_no_frame_comes_before_those_ahead_of_it_have_passed_the_line(shell: Shell, logged: Logged, rate: int) -> None:
    """Each arrival is that of a line which is given the same frames at the same times, to the ns."""
    sent, came = logged(transfer(shell, rate, "1M"))
    assert len(sent) == len(came) > 500
    free = 0.0
    for out, there in zip(sent, came, strict=True):
        free = max(free, out.time_ns) + out.line_bytes * 8e9 / rate
        assert -0.01 < there.time_ns - (free + BASE_NS) < 1.01


@pytest.mark.parametrize("rate", RATES)
def test_frames_that_are_handed_over_together_fill_the_line_and_no_more(
    shell: Shell, logged: Logged, rate: int
) -> None:
    """A card cuts a segment into frames and sends them in one go, faster than any line: so that these fill it."""
    sent, came = logged(transfer(shell, rate, "1M"))
    numbers = [list(group) for _, group in groupby(range(len(sent)), key=lambda number: sent[number].time_ns)]
    bursts = [each for each in numbers if len(each) >= 4]
    assert bursts
    for burst in bursts:
        took = came[burst[-1]].time_ns - came[burst[0]].time_ns
        share = line_ns([sent[number] for number in burst[1:]], rate) / took
        assert 0.995 < share < 1 + 1.01 / took  # each time is a whole ns


def test_a_line_of_a_gigabit_is_full_once_tcp_has_found_its_rate(shell: Shell, logged: Logged) -> None:
    _, came = logged(transfer(shell, RATES[0], "4M"))
    late = came[len(came) // 2 :]
    gaps = [after.time_ns - before.time_ns for before, after in pairwise(late) if after.line_bytes == 1538]
    assert min(gaps) >= 12304 and sum(gaps) / len(gaps) < 12304 * 1.005


@pytest.mark.parametrize("rate", RATES[:2])
def test_what_a_program_says_is_below_the_limit(exact: ExactSite, shell: Shell, rate: int) -> None:
    (step,) = exact.run(transfer(shell, rate, "4M")).steps
    received = json.loads(step.client_out)["end"]["sum_received"]["bits_per_second"]
    assert received <= PAYLOAD_SHARE * rate
