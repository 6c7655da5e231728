"""The site ssh between two computers with an RDMA device each: run by test_another_kernel, with bob beside it."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.kernel.test_soft_rdma import EXPERIMENT, KINDS, SERIES, measured
from tests.kernel.two_hosts import ALICE_DEVICE, BOB_DEVICE, DATA, OLDER, device
from tests.sites.daemons import write
from tests.sites.jobs import await_true

from lab import doctor as ssh_doctor
from lab.errors import SiteError
from lab.experiment.reader import load
from lab.model.trial import End
from lab.plan.plan import Plan, SiteFacts, make_plan
from lab.run.estimate import preflight
from lab.sites import hosts as auto
from lab.sites import ssh
from lab.sites.wall import WallSite

pytestmark = pytest.mark.modules
WRITE = SERIES.format(program="verbs", **KINDS["verbs"]) + "parameters.verify = true\n"
OTHERS = "".join(SERIES.format(program=name, **KINDS[name]) for name in ("ib_write_bw", "tcp", "mpi-verbs"))


class Hosts:
    """alice, who is here, and bob."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ssh = ("ssh", "-F", str(folder / "config"), "-S", "/run/to-bob", "bob")

    def connect(self) -> bool:
        """Open the one connection to bob, who may still be booting."""
        return subprocess.run([*self.ssh, "-MNf"], stderr=subprocess.DEVNULL, check=False).returncode == 0

    def toml(self, folder: Path, bob: str = "bob") -> Path:
        """A hosts.toml with both devices, from which interface and address follow."""
        text = f"""[ssh]
config = "{self.folder}/config"
client = {{ login = "alice", device = "{ALICE_DEVICE}" }}
server = {{ login = "{bob}", device = "{BOB_DEVICE}" }}
"""
        return write(folder / "hosts.toml", text)

    def on_bob(self, line: str) -> str:
        """The output of a line for bob's shell."""
        return subprocess.run([*self.ssh, line], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    """Turn this host into alice, and remove its device in the end."""
    folder = Path(os.environ["LAB_TWO_HOSTS"])
    subprocess.run(["sh", "-c", (folder / "alice.sh").read_text() + device(ALICE_DEVICE)], check=True)
    made = Hosts(folder)
    await_true(made.connect, seconds=60, nap=1)
    await_true(lambda: f"{BOB_DEVICE}/1 state ACTIVE" in made.on_bob("rdma link"))
    yield made
    subprocess.run([*made.ssh, "-O", "exit"], check=True)
    subprocess.run(["rdma", "link", "delete", ALICE_DEVICE], check=True)


@pytest.fixture(scope="module")
def site(hosts: Hosts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WallSite]:
    opened = ssh.open("", hosts.toml(tmp_path_factory.mktemp("hosts")))
    yield opened
    opened.stop()


def plan_of(site: WallSite, programs: dict[Path, str], folder: Path, experiment: str) -> Plan:
    (folder / "100.toml").write_text(experiment.replace("iterations = 100\n", "iterations = 100\nleast_time_s = 0\n"))
    return make_plan(load(folder / "100.toml"), SiteFacts.of(site), programs)


def test_the_devices_of_hosts_toml_carry_verbs_a_peer_tcp_and_mpi_over_the_data_link(
    hosts: Hosts, site: WallSite, programs: dict[Path, str], tmp_path: Path
) -> None:
    assert auto.choose(hosts.toml(tmp_path)) == ("ssh", f"hosts.toml names the RDMA device {ALICE_DEVICE}")
    plan = plan_of(site, programs, tmp_path, EXPERIMENT + WRITE + OTHERS)
    for planned in plan.planned:
        facts = measured(planned, site, plan.site).facts
        rdma, before = planned.series.tool.rdma, facts.measured.counters_before
        assert facts.assessment.path == (f"RDMA from {ALICE_DEVICE}" if rdma else "the kernel's network from data0")
        assert facts.asked.ends.server == End(DATA["bob"], BOB_DEVICE, "data0", gid="1")
        grown = {name: count - before[name] for name, count in facts.measured.counters_after.items()}
        assert grown["server.data0.rx_bytes"] >= 100 * 4096 <= grown["data0.tx_bytes"]
        assert grown["login0.tx_bytes"] < 40_000
        assert (grown[f"server.{BOB_DEVICE}.rcvd_pkts"] >= 100) == rdma


def test_the_doctor_names_the_devices_of_both_hosts(hosts: Hosts, tmp_path: Path) -> None:
    ends = (("alice", "client", ALICE_DEVICE), ("bob", "server", BOB_DEVICE))
    found = {each.what: each for each in ssh_doctor.examine("ssh", hosts.toml(tmp_path))}
    for name, role, own in ends:
        said = rf"{role} on {own} \(4: ACTIVE\), GIDs: \d RoCE v2, data0 \(MTU 4200\), {DATA[name]}$"
        assert re.search(said, found[name].found) and not found[name].remedy, found


def test_a_preflight_refuses_different_gids_and_mtus_in_one_sentence(
    hosts: Hosts, site: WallSite, programs: dict[Path, str], tmp_path: Path
) -> None:
    plan = plan_of(site, programs, tmp_path, EXPERIMENT + WRITE)
    (found,) = preflight(site, plan.site, plan.planned)  # Soft-RoCE's own 2.5 Gb/sec is not compared
    assert found.startswith("preflight: verbs write throughput: 1 MiB verified")
    hosts.on_bob("ip link set data0 mtu 1500")
    with pytest.raises(SiteError, match="the two ports have different MTUs \\(4096 here, 1024 there\\)") as mtu:
        list(preflight(site, plan.site, plan.planned))
    hosts.on_bob("ip link set data0 mtu 4200")
    older = ssh.open("", hosts.toml(tmp_path, OLDER))
    with pytest.raises(SiteError, match="the two ends chose GIDs of different types") as gid:
        list(preflight(older, plan.site, plan.planned))
    older.stop()
    assert "\n" not in str(mtu.value) + str(gid.value)
