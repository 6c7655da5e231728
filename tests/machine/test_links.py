"""Link models and clocks of the exact site: never more than a real link of that rate could carry, to the ns."""

import json
import re
import subprocess
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from lab.machine import results
from lab.machine.link import BASE_NS, FRAME_EXTRA_BYTES
from lab.machine.results import Frame
from lab.model.trial import Job, Link
from lab.places import BENCH_SOURCES, SET_CLOCK
from lab.sites.exact import ExactSite

Shell = Callable[..., Job]
Transfer = Callable[[str, Link], dict[str, float]]

# TCP's payload as a share of an Ethernet frame on the link: 8 + 14 + 1500 + 4 + 12 bytes.
PAYLOAD_SHARE = 1448 / 1538
PING = "ping -c {count} -i 0.01 -I 10.0.0.1 10.0.0.2"
# The largest time between two readings of a clock.
BETWEEN_TWO_CALLS_NS = 500


def test_long_transfer_without_offload_fills_the_link(transfer: Transfer) -> None:
    """With offload, `frames` has each frame to the ns."""
    rate = transfer("2M", Link(mtu=1500, rate_bit_s=10**7, offload=False))["bits_per_second"]
    assert 0.99 < rate / (PAYLOAD_SHARE * 10**7) <= 1


def lost(exact: ExactSite, shell: Shell, link: Link) -> list[int]:
    (step,) = exact.run(shell(PING.format(count=60), link=link)).steps
    assert "60 packets transmitted" in step.client_out
    return sorted(set(range(60)) - {int(number) for number in re.findall(r"seq=(\d+)", step.client_out)})


def test_another_seed_loses_other_frames(exact: ExactSite, shell: Shell) -> None:
    """With the same seed all bytes are equal: test_equality.py."""
    first, other = (lost(exact, shell, Link(loss_ppm=100_000, loss_seed=seed)) for seed in (1, 2))
    assert first != other and 0 < len(first) < 30


def test_frames_have_at_most_the_mtu_without_offload(exact: ExactSite, shell: Shell) -> None:
    client = "exec iperf3 -c 10.0.0.2 -B 10.0.0.1 -n 1M"
    frames = {}
    for offload in (True, False):
        outcome = exact.run(shell(client, link=Link(mtu=1500, offload=offload)))
        frames[offload] = outcome.grown["v0.tx_bytes"] / outcome.grown["v0.tx_packets"]
    assert frames[True] > 10_000
    assert 1400 < frames[False] <= 1514


def test_link_carries_ipv4_and_ipv6_in_both_directions_without_the_loopback(exact: ExactSite, shell: Shell) -> None:
    outcome = exact.run(shell("ping -c 1 -I 10.0.0.1 10.0.0.2 && ping -6 -c 1 -I fd00::1 fd00::2"))
    assert outcome.steps[0].client_status == 0, outcome.steps[0]
    assert [outcome.grown[f"{end}_packets"] for end in ("v0.tx", "v1.rx", "v1.tx", "v0.rx")] == [2, 2, 2, 2]
    assert outcome.grown["lo.rx_packets"] == 0


def test_messages_take_no_other_path_when_the_link_goes_down(exact: ExactSite, shell: Shell) -> None:
    client = f"(sleep 0.1; /bin/ip link set v0 down) & {PING.format(count=30)}"
    outcome = exact.run(shell(client, deadline_s=20))
    assert "seq=5" in outcome.steps[0].client_out
    assert outcome.grown["lo.rx_bytes"] == 0


class Frames(NamedTuple):
    """The frames on a link of some rate, and the rate that the program reports."""

    rate: int
    sent: list[Frame]
    came: list[Frame]
    received_bit_s: float


@pytest.fixture(params=[pytest.param(10**9, marks=pytest.mark.release), 10**11], scope="module")
def frames(
    exact: ExactSite, shell: Shell, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Frames:
    """A transfer over a link of some rate: the frames at the client, and at the server."""
    folder = tmp_path_factory.mktemp("logs")
    client = "exec iperf3 -c 10.0.0.2 -B 10.0.0.1 --json -n 2M"
    (step,) = exact.run_watched(shell(client, link=Link(mtu=1500, rate_bit_s=request.param)), folder).steps
    assert (step.client_status, step.server_status) == (0, 0), step
    client_log, server_log = (list(results.read(folder / f"{name}.pcapng")) for name in ("client", "server"))
    sent = [frame for frame in client_log if frame.goes_out]
    came = [frame for frame in server_log if not frame.goes_out]
    received = json.loads(step.client_out)["end"]["sum_received"]["bits_per_second"]
    return Frames(request.param, sent, came, received)


def line_bytes(frame: Frame) -> int:
    """The size on the wire, including Ethernet's overhead; a frame has 60 bytes at least without its checksum."""
    return max(frame.size_bytes, 60) + FRAME_EXTRA_BYTES


def test_frames_arrive_after_all_earlier_frames_have_left_the_link(frames: Frames) -> None:
    """Each arrival is that of a real link with the same frames at the same times, to the ns."""
    assert len(frames.sent) == len(frames.came) > 500
    free = 0.0
    for out, there in zip(frames.sent, frames.came, strict=True):
        free = max(free, out.time_ns) + line_bytes(out) * 8e9 / frames.rate
        assert -0.01 < there.time_ns - (free + BASE_NS) < 1.01
    assert frames.received_bit_s <= PAYLOAD_SHARE * frames.rate


def test_frames_posted_together_fill_the_link(frames: Frames) -> None:
    """A NIC cuts a segment into frames and sends them at once, faster than any link."""
    sent, came = frames.sent, frames.came
    numbers = [list(group) for _, group in groupby(range(len(sent)), key=lambda number: sent[number].time_ns)]
    bursts = [burst for burst in numbers if len(burst) >= 4]
    assert bursts
    for burst in bursts:
        took = came[burst[-1]].time_ns - came[burst[0]].time_ns
        line_ns = sum(line_bytes(sent[number]) for number in burst[1:]) * 8e9 / frames.rate
        assert 0.995 < line_ns / took < 1 + 1.01 / took  # each time is a whole ns


class Apart(NamedTuple):
    """The offset of the server's clock from the client's, and its growth in a second."""

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


@pytest.mark.parametrize(("offset_ns", "drift_ppm"), [(1_500_000_250, 20), (-250_000_001, -500)])
def test_servers_clock_has_the_offset_and_drift_of_the_link(
    apart: Callable[..., Apart], offset_ns: int, drift_ppm: int
) -> None:
    measured = apart(Link(clock_offset_ns=offset_ns, clock_drift_ppm=drift_ppm))
    assert abs(measured.offset_ns - offset_ns) < BETWEEN_TWO_CALLS_NS + 100 * abs(drift_ppm)
    assert abs(measured.drift_ns - 1000 * drift_ppm) < 2 * BETWEEN_TWO_CALLS_NS
