"""The host site on a kernel with rdma_rxe, vrf and netem: run by test_another_kernel, or by hand where they are."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import pytest
from tests.sites.jobs import ENDLESS, LISTENING, Jobs, await_true
from tests.toml import series_of

from lab import doctor as doctor
from lab.errors import SiteError
from lab.experiment.reader import load
from lab.model.trial import Link
from lab.plan.plan import Planned, SiteFacts, make_plan
from lab.records.record import Record
from lab.run.measure import FailedOutcome, measure
from lab.sites import host, soft_rdma
from lab.sites.agent import computer
from lab.sites.wall import WallSite

pytestmark = pytest.mark.modules
EXPERIMENT = """
title = "All kinds of traffic"
question = "Do verbs, TCP, MPI and a peer use the same link?"
[parameters]
sizes = "4K"
iterations = 100
warmup = 20
wait = "event"
wait_deadline_s = 50
deadline_s = 200
"""
SERIES = "\n" + series_of("{program} {program} {operation} {measure}")
KINDS = {
    "verbs": {"operation": "write", "measure": "throughput"},
    "ib_write_bw": {"operation": "write", "measure": "throughput"},
    "tcp": {"operation": "send", "measure": "throughput"},
    "mpi-tcp": {"operation": "send", "measure": "latency"},
    "mpi-verbs": {"operation": "send", "measure": "latency"},
}
ALONE = """
import time
from lab.sites import host
site = host.open("rxe")
site.prepare(print)
print("made", flush=True)
time.sleep(600)
"""


@pytest.fixture
def jobs(site: WallSite, programs: dict[Path, str]) -> Jobs:
    return Jobs(site.ends, programs)


def traces() -> list[str]:
    """The state that the site changes for Soft-RoCE."""
    commands = (("ip", "-o", "link"), ("ip", "rule"), ("sysctl", soft_rdma.ACCEPT), ("ls", "/sys/class/infiniband"))
    printed = [subprocess.run(each, capture_output=True, text=True, check=True).stdout for each in commands]
    return [*printed, *map(str, Path("/sys/fs/cgroup").rglob("lab-domain*"))]


def measured(planned: Planned, site: WallSite, facts: SiteFacts) -> Record:
    """Measure again if perftest prints zeros, because it cannot read the CPU's frequency on a busy host."""
    for _ in range(3):
        try:
            return measure(planned, site, facts)
        except FailedOutcome as error:
            if "printed as zero" not in error.what:
                raise
    return measure(planned, site, facts)


def test_programs_take_the_cable_between_two_devices(site: WallSite, programs: dict[Path, str], tmp_path: Path) -> None:
    (tmp_path / "all.toml").write_text(
        EXPERIMENT + "".join(SERIES.format(program=name, **kind) for name, kind in KINDS.items())
    )
    facts = SiteFacts.of(site)
    ends = (site.ends.client, site.ends.server)
    gids = [Path(f"/sys/class/infiniband/{end.device}/ports/1/gids/{end.gid}").read_text().strip() for end in ends]
    assert [IPv6Address(gid).ipv4_mapped for gid in gids] == [IPv4Address(end.host) for end in ends]
    assert "two routing domains" in facts.identity["cable"]
    for planned in make_plan(load(tmp_path / "all.toml"), facts, programs).planned:
        record = measured(planned, site, facts)
        before, after = record.facts.measured.counters_before, record.facts.measured.counters_after
        sent, lo = (after[name] - before[name] for name in ("lab0.tx_bytes", "lo.tx_bytes"))
        assert sent >= 100 * 4096 and lo < 100_000, (planned.trial, sent, lo)


def test_a_link_model_is_on_both_ends_and_is_removed_for_the_next_job(site: WallSite, jobs: Jobs) -> None:
    show = "tc qdisc show dev lab0; tc qdisc show dev lab1; ip -o link show lab-domain0; ethtool -k lab0"
    modelled = jobs.shell(LISTENING, show, link=Link(mtu=1500, rate_bit_s=10**9, delay_ns=3_000_000, offload=False))
    said = site.run(modelled).steps[0].client_out
    assert said.count("delay 3ms") == 2 and said.count("rate 1Gbit") == 2 and "mtu 1500" in said
    assert "tcp-segmentation-offload: off" in said
    said = site.run(replace(modelled, link=Link())).steps[0].client_out
    assert "delay" not in said and "rate" not in said and "tcp-segmentation-offload: on" in said


def test_a_link_that_goes_down_ends_verbs_in_the_deadline_and_not_the_next_trial(site: WallSite, jobs: Jobs) -> None:
    shared = ("--wait", "event", "--deadline", "15", "--operation", "write", "--sizes", ENDLESS)
    server = ("/lab/bin/verbs-server", *shared, "--device", "lab_rxe1", "--listen", site.ends.server.host)
    client = ("/lab/bin/verbs-client", *shared, "--device", "lab_rxe0", site.ends.server.host)
    cut = ("sh", "-c", '(sleep 2; exec ip link set lab1 down) & exec "$@"', "sh", *client)
    (step,) = site.run(jobs.pair(server, cut)).steps
    assert step.client_status and "no progress for 15 s" in step.client_err + step.server_err, step
    assert site.run(jobs.pair(*jobs.tcp("64@100/10"))).steps[0].client_status == 0


def test_nothing_is_left_when_the_site_stops_or_its_harness_is_killed() -> None:
    clean = traces()
    assert clean[2].endswith("= 0\n")
    with subprocess.Popen([sys.executable, "-c", ALONE], stdout=subprocess.PIPE) as harness:
        assert harness.stdout is not None and harness.stdout.readline() == b"made\n"
        assert "lab_rxe0" in traces()[3]
        with pytest.raises(SiteError, match="another run on this computer has made the Soft-RoCE devices"):
            host.open("rxe").prepare(print)
        harness.send_signal(signal.SIGKILL)
    await_true(lambda: traces() == clean)


@pytest.fixture
def own_device() -> Iterator[str]:
    for command in (
        "ip link add own0 type veth peer name own1",
        "ip addr add 198.18.9.1/24 dev own0",
        "ip link set own0 up",
        "ip link set own1 up",
        "rdma link add own_rxe type rxe netdev own0",
    ):
        subprocess.run(command.split(), check=True)
    await_true(lambda: "ACTIVE" in computer.port_state("own_rxe"))
    yield "own_rxe"
    subprocess.run(["ip", "link", "delete", "own0"], check=True)


def test_a_device_of_this_computer_is_used_as_it_is_and_stays(
    own_device: str, site: WallSite, programs: dict[Path, str], tmp_path: Path
) -> None:
    series = SERIES.format(program="verbs", operation="read", measure="throughput")
    (tmp_path / "one.toml").write_text(EXPERIMENT + series)
    facts = SiteFacts.of(site)
    assert site.ends.client.device == site.ends.server.device == own_device
    assert "turn around inside it" in facts.identity["cable"]
    (planned,) = make_plan(load(tmp_path / "one.toml"), facts, programs).planned
    assert measure(planned, site, facts).samples
    site.stop()
    found = {each.what: each.found for each in doctor.examine("host", tmp_path / "hosts.toml")}
    assert "ACTIVE" in found[own_device] and "RoCE v2" in found[f"{own_device} GIDs"]
    assert computer.devices() == [own_device]
