"""Three exact machines and a switch, and four: code/machine/switch. All but one send to that one over TCP, at once."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.machine.switched import LINK, Left, Switched, built
from tests.release.hosts.measuring import busy

from lab.machine.qemu import MachineError
from lab.sites.exact import ExactSite

SIZE = 1 << 20  # that each sends
GIGABIT = f"rate={LINK.rate_bit_s}"
DEEP, SHALLOW, TINY = GIGABIT, f"{GIGABIT},queue=65536", f"{GIGABIT},queue=16384"
PAYLOAD_SHARE = 1448 / 1538  # as in test_links.py
LEAST_TIMEOUT_NS = 200_000_000  # TCP_RTO_MIN of Linux: include/net/tcp.h

Behind = Callable[[str], Switched]
Incast = Callable[..., list[Left]]


@pytest.fixture(scope="module")
def behind(exact: ExactSite, tmp_path_factory: pytest.TempPathFactory) -> Behind:
    """Machines behind a switch of some words."""
    program = built(tmp_path_factory.mktemp("switch"))
    return lambda words: Switched(exact.fork_server(exact.verified_snapshot()), program, words)


@pytest.fixture(scope="module")
def incast(behind: Behind, tmp_path_factory: pytest.TempPathFactory) -> Incast:
    """All but machine 2 send to it."""
    program = tmp_path_factory.mktemp("incast") / "incast"
    source = Path(__file__).parent / "incast" / "incast.c"
    subprocess.run(["gcc", "-O2", "-static", "-Wall", "-Wextra", "-Werror", "-o", program, source], check=True)

    def run(words: str, senders: int = 2) -> list[Left]:
        send, receive = f"send {SIZE} 10.0.0.2", f"receive {senders}"
        commands = [f"exec /lab/bin/incast {each}" for each in (send, receive, *[send] * (senders - 1))]
        return behind(words).run(commands, (program,))

    return run


@pytest.fixture(scope="module")
def shallow(incast: Incast) -> list[Left]:
    """What three machines leave."""
    return incast(SHALLOW)


def received(machines: list[Left]) -> list[str]:
    """The receiver's lines: each sender's bytes, which it has compared with what must come."""
    return sorted(machines[1].said.splitlines()[:-1])


def time_ns(machines: list[Left]) -> int:
    return int(machines[1].said.split()[-2])


def goodput_share(machines: list[Left]) -> float:
    """Of the line's rate."""
    senders = len(machines) - 1
    return senders * SIZE * 8 / time_ns(machines) / 1e-9 / (LINK.rate_bit_s or 0)


def dropped(machines: list[Left]) -> list[int]:
    """By the queue of each port."""
    return [each.counts["link1.dropped"] for each in machines]


def sent_again(machines: list[Left]) -> int:
    """Segments, by all senders' TCP."""
    return sum(int(each.said.split()[0]) for each in machines if "again" in each.said)


def test_all_arrives_though_the_queue_before_the_receiver_drops_some(shallow: list[Left]) -> None:
    assert received(shallow) == [f"1 {SIZE} bytes", f"3 {SIZE} bytes"]
    one, receiver, three = dropped(shallow)
    assert one == three == 0 < receiver <= sent_again(shallow)


def test_together_they_fill_the_line_and_no_more(shallow: list[Left]) -> None:
    assert 0.9 * PAYLOAD_SHARE < goodput_share(shallow) <= PAYLOAD_SHARE


def test_a_run_beside_busy_loops_leaves_the_same_bytes(incast: Incast, shallow: list[Left]) -> None:
    with busy(2):
        assert incast(SHALLOW) == shallow


def test_a_deep_queue_drops_nothing(incast: Incast) -> None:
    machines = incast(DEEP)
    assert received(machines) == [f"1 {SIZE} bytes", f"3 {SIZE} bytes"]
    assert (dropped(machines), sent_again(machines)) == ([0, 0, 0], 0)
    assert 0.9 * PAYLOAD_SHARE < goodput_share(machines) <= PAYLOAD_SHARE


def test_behind_a_tiny_queue_a_sender_waits_for_its_timeout_and_the_line_is_idle(incast: Incast) -> None:
    machines = incast(TINY)
    assert dropped(machines)[1] > 0
    assert time_ns(machines) > LEAST_TIMEOUT_NS


def test_three_may_send_to_a_fourth(incast: Incast) -> None:
    machines = incast(SHALLOW, senders=3)
    assert received(machines) == [f"{number} {SIZE} bytes" for number in (1, 3, 4)]
    assert 0 < dropped(machines)[1] <= sent_again(machines)


def test_both_networks_lead_from_each_machine_to_each(behind: Behind) -> None:
    ping = "ping -c 1 10.0.0.{0} && ping -c 1 192.168.7.{0}; sleep 1"
    machines = behind("").run([ping.format(number) for number in (3, 1, 2)])
    assert [len(re.findall(" 0% packet loss", each.said)) for each in machines] == [2, 2, 2]
    for each in machines:
        assert each.counts["link0.frames"] > 1 and each.counts["side0.frames"] > 1


def test_a_machine_that_goes_off_ends_all_and_they_say_which(behind: Behind) -> None:
    with pytest.raises(MachineError, match="at port 2, the client's machine ended with status 0"):
        behind("").run(["sleep 15", "sleep 15", "poweroff -f"])
