"""Link models: what a line of that kind can carry, and never more."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from lab.model.trial import Job, Link
from lab.sites.exact import ExactSite

Shell = Callable[..., Job]
Transfer = Callable[[str, Link], dict[str, float]]

# TCP's payload in an Ethernet frame of 1500 bytes of IP, of all that passes the line: 8 + 14 + 1500 + 4 + 12 bytes.
PAYLOAD_SHARE = 1448 / 1538
PING = "ping -c {count} -i 0.01 -I 10.0.0.1 10.0.0.2"


@pytest.mark.parametrize("offload", [True, False])
def test_a_long_transfer_fills_the_line_and_no_more(transfer: Transfer, offload: bool) -> None:  # noqa: FBT001
    rate = transfer("2M", Link(mtu=1500, rate_bit_s=10**7, offload=offload))["bits_per_second"]
    assert 0.99 < rate / (PAYLOAD_SHARE * 10**7) <= 1


@pytest.mark.parametrize("offload", [True, False])
def test_a_short_transfer_is_never_faster_than_the_line(transfer: Transfer, offload: bool) -> None:  # noqa: FBT001
    rate = transfer("8M", Link(mtu=1500, rate_bit_s=10**9, offload=offload))["bits_per_second"]
    assert 0.5 < rate / (PAYLOAD_SHARE * 10**9) <= 1


def round_trips_us(exact: ExactSite, shell: Shell, link: Link) -> list[float]:
    (step,) = exact.run(shell(PING.format(count=3), link=link)).steps
    return [float(time) * 1000 for time in re.findall(r"time=([\d.]+) ms", step.client_out)]


def test_a_delay_is_added_each_way(exact: ExactSite, shell: Shell) -> None:
    plain, delayed = (round_trips_us(exact, shell, Link(delay_ns=delay_ns)) for delay_ns in (0, 500_000))
    assert len(plain) == len(delayed) == 3
    assert all(990 < late - soon < 1050 for soon, late in zip(plain, delayed, strict=True))


def lost(exact: ExactSite, shell: Shell, link: Link) -> list[int]:
    (step,) = exact.run(shell(PING.format(count=60), link=link)).steps
    assert "60 packets transmitted" in step.client_out
    return sorted(set(range(60)) - {int(number) for number in re.findall(r"seq=(\d+)", step.client_out)})


def test_the_seed_of_a_loss_decides_which_frames_are_lost(exact: ExactSite, shell: Shell) -> None:
    link = Link(loss_ppm=100_000, loss_seed=1)
    one, same, other = (lost(exact, shell, replace(link, loss_seed=seed)) for seed in (1, 1, 2))
    assert one == same != other
    assert 0 < len(one) < 30


def test_frames_are_as_long_as_the_mtu_says_unless_offload_leaves_them_whole(exact: ExactSite, shell: Shell) -> None:
    client = "exec iperf3 -c 10.0.0.2 -B 10.0.0.1 -n 1M"
    frames = {}
    for offload in (True, False):
        outcome = exact.run(shell(client, link=Link(mtu=1500, offload=offload)))
        before, after = outcome.counters_before, outcome.counters_after
        frames[offload] = (after["v0.tx_bytes"] - before["v0.tx_bytes"]) / (
            after["v0.tx_packets"] - before["v0.tx_packets"]
        )
    assert frames[True] > 10_000
    assert 1400 < frames[False] <= 1514


def test_the_cable_carries_both_ways_and_ipv6_and_not_over_the_loopback(exact: ExactSite, shell: Shell) -> None:
    outcome = exact.run(shell("ping -c 1 -I 10.0.0.1 10.0.0.2 && ping -6 -c 1 -I fd00::1 fd00::2"))
    assert outcome.steps[0].client_status == 0, outcome.steps[0]
    changed = {name: count - outcome.counters_before[name] for name, count in outcome.counters_after.items()}
    assert [changed[f"{end}_packets"] for end in ("v0.tx", "v1.rx", "v1.tx", "v0.rx")] == [2, 2, 2, 2]
    assert changed["lo.rx_packets"] == 0


def test_rdma_writes_are_counted_by_both_devices(exact: ExactSite, shell: Shell) -> None:
    write = "exec ib_write_bw -s 4096 -n 20 -p 5201 -d"
    outcome = exact.run(shell(f"{write} rxe0 {exact.ends.side_channel}", server=f"{write} rxe1"))
    assert outcome.steps[0].client_status == 0, outcome.steps[0]
    changed = {name: count - outcome.counters_before[name] for name, count in outcome.counters_after.items()}
    assert changed["rxe0.sent_pkts"] == changed["rxe1.rcvd_pkts"] >= 20
    assert changed["v0.tx_bytes"] > 20 * 4096


def test_a_link_that_goes_down_ends_in_the_deadline(exact: ExactSite, shell: Shell) -> None:
    client = "(sleep 0.1; /bin/ip link set v0 down) & exec iperf3 -c 10.0.0.2 -B 10.0.0.1 -t 1"
    (step,) = exact.run(shell(client, deadline_s=2, link=Link(rate_bit_s=10**7))).steps
    assert (step.client_status, step.server_status) == (124, 124)
    assert step.clock_end_ns - step.clock_start_ns < 3 * 10**9


def test_nothing_takes_another_way_when_an_end_goes_down(exact: ExactSite, shell: Shell) -> None:
    client = f"(sleep 0.1; /bin/ip link set v0 down) & {PING.format(count=30)}"
    outcome = exact.run(shell(client, deadline_s=20))
    assert "seq=5" in outcome.steps[0].client_out
    assert outcome.counters_before["lo.rx_bytes"] == outcome.counters_after["lo.rx_bytes"]
