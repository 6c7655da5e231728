"""What needs a computer at each end of the link: programs that poll, rdma_cm, and an end that is gone."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.sites.jobs import PATIENCE_S, await_true

from lab.errors import SiteError
from lab.machine.link import BASE_NS
from lab.machine.results import NAMES
from lab.model.trial import Job, Link, Outcome
from lab.sites.exact import ExactSite

Shell = Callable[..., Job]
Measured = Callable[[Outcome], Outcome]
LATENCY_ROW = re.compile(r"^ *8 +50 +([\d.]+) +([\d.]+) +([\d.]+) ", re.MULTILINE)


def both(outcome: Outcome) -> str:
    """The client's output of a step that ended well."""
    (step,) = outcome.steps
    assert (step.client_status, step.server_status) == (0, 0), step
    return step.client_out


def typical_us(exact: ExactSite, shell: Shell, program: str, *, link: Link | None = None) -> float:
    words = f"exec {program} -s 8 -n 50 -p 5201 -d"
    ends = exact.ends
    job = shell(f"{words} rxe0 {ends.side_channel}", server=f"{words} rxe1", link=link or Link())
    (row,) = LATENCY_ROW.findall(both(exact.run(job)))
    return float(row[2])


@pytest.mark.parametrize("program", ["ib_write_lat", "ib_read_lat", "ib_send_lat", "ib_send_lat -e"])
def test_no_end_waits_for_the_others_processor(exact: ExactSite, shell: Shell, program: str) -> None:
    """On one processor two ends that poll took 4,000 us, a tick of the scheduler."""
    assert BASE_NS / 1000 < typical_us(exact, shell, program) < 60


def test_a_longer_link_is_longer_for_those_who_poll_too(exact: ExactSite, shell: Shell) -> None:
    near, far = (typical_us(exact, shell, "ib_write_lat", link=Link(delay_ns=ns)) for ns in (0, 50_000))
    assert 49.9 < far - near < 50.1


# The port that tells init that the server is there is TCP's; what these listen on is rdma_cm's own.
BESIDE = "nc -l -p 5201 & {}"


@pytest.mark.parametrize(
    ("server", "client"),
    [
        ("ib_send_lat -R -n 50 -s 8 -p 7000", "ib_send_lat -R -n 50 -s 8 -p 7000 10.0.0.2"),
        ("rping -s -C 20 -v -a 10.0.0.2", "rping -c -C 20 -v -a 10.0.0.2"),
        ("rdma_server", "rdma_client -s 10.0.0.2"),
    ],
    ids=["ib_send_lat -R", "rping", "rdma_client"],
)
def test_rdma_cm_connects(exact: ExactSite, shell: Shell, server: str, client: str) -> None:
    both(exact.run(shell(f"sleep 0.1; exec {client}", server=BESIDE.format(f"exec {server}"))))


def test_clocks_start_equal_and_seeds_differ(exact: ExactSite, shell: Shell) -> None:
    look = "awk '$1 == \"now\" { print $3 }' /proc/timer_list; head -c 8 /dev/urandom | hexdump -e '8/1 \"%02x\"'"
    (step,) = exact.run(shell(look, server=f"{look}; exec iperf3 -s -1")).steps
    (here, mine), (there, theirs) = step.client_out.split(), step.server_out.split()[:2]
    assert 0 < int(here) - int(there) < 1e9 and mine != theirs


def test_nothing_of_the_harness_is_on_the_link(exact: ExactSite, shell: Shell) -> None:
    outcome = exact.run(shell("true"))
    grown = {name: count - outcome.counters_before[name] for name, count in outcome.counters_after.items()}
    assert grown["side.tx_packets"] > 0
    assert [grown[f"{end}.{way}_packets"] for end in ("v0", "v1") for way in ("rx", "tx")] == [0, 0, 0, 0]


@pytest.mark.parametrize("name", NAMES)
def test_a_machine_that_is_killed_ends_the_other_at_once(exact: ExactSite, shell: Shell, name: str) -> None:
    exact.verified_snapshot()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(exact.run, shell("sleep 600", deadline_s=600))
        await_true(lambda: len(exact.running.processes) == 2)
        machines = list(exact.running.processes)
        (one,) = (each for each in machines if each.name == name)
        os.kill(one.pid, signal.SIGKILL)
        with pytest.raises(SiteError, match=f"^the {name}'s machine: .*killed by SIGKILL"):
            run.result(PATIENCE_S)
    assert not any(Path(f"/proc/{each.pid}").exists() for each in machines)


@pytest.mark.parametrize("end", ["client", "server"])
def test_a_machine_that_goes_off_by_itself_ends_the_other(exact: ExactSite, shell: Shell, end: str) -> None:
    off = {end: "poweroff -f"}
    job = shell(off.get("client", "sleep 500"), server=off.get("server", "exec iperf3 -s -1"), deadline_s=600)
    with pytest.raises(SiteError, match=f"^the {end}'s machine: the guest went off without results"):
        exact.run(job)


def test_polling_ends_give_the_same_bytes_twice_at_once(exact: ExactSite, shell: Shell, measured: Measured) -> None:
    words = "exec ib_write_lat -s 8 -n 200 -p 5201 -d"
    job = shell(f"{words} rxe0 {exact.ends.side_channel}", server=f"{words} rxe1")
    with ThreadPoolExecutor(2) as pool:
        one, other = map(measured, pool.map(exact.run, [job, job]))
    assert one == other
    both(one)
