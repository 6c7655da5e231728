"""A computer with RDMA devices, read from its /sys and /proc."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.lab.conftest import Pretend
from tests.lab.sites.computers import put

from lab.sites.agent import computer


def test_identity_state_and_counters_of_a_card_are_read(computer_with: Pretend) -> None:
    root = computer_with("mlx5_0")
    found, state, counters = computer.identity("eth0", "mlx5_0"), computer.state("eth0", "mlx5_0"), computer.counters()
    assert (found["firmware"], found["governor"], found["turbo"]) == ("28.39.1002", "performance", "off")
    assert (found["rdma"], found["card"], found["link"]) == ("MT4129", "0x15b3 0x1021", "400 Gb/sec (4X NDR)")
    assert found["congestion"] == "cubic" and not state.keys() & found.keys()
    assert state["irq_affinity"] == {"77": "8-9"} and state["mtu"] == "9000" and state["link_state"] == "4: ACTIVE"
    # A card counts words of four bytes.
    names = ("tx_bytes", "rx_bytes", "out_of_sequence")
    assert [counters[f"mlx5_0.{name}"] for name in names] == [4000, 80, 3]
    assert computer.near("eth0", "mlx5_0") == {8, 9, 10, 12}
    put(root / "sys/class/net/eth1/device/local_cpulist", "4")
    assert computer.near("eth1", "") == {4} and computer.near("eth0", "") == set()


def test_a_card_reports_its_rate_and_a_software_device_has_that_of_its_interface(computer_with: Pretend) -> None:
    root = computer_with("mlx5_0")
    assert computer.rate_bit_s("eth0", "mlx5_0") == 400 * 10**9
    put(root / "sys/class/infiniband/rxe0/ports/1/rate", "2.5 Gb/sec (1X SDR)")
    for speed, rate in (("-1", 0), ("10000", 10**10)):
        put(root / "sys/class/net/eth0/speed", speed)
        assert computer.rate_bit_s("eth0", "rxe0") == rate
    assert "link" not in computer.identity("eth1", "rxe0")


def test_an_end_is_down_when_its_interface_or_its_port_is(
    computer_with: Pretend, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, listed = computer_with("mlx5_0"), [{"ifname": "eth0", "operstate": "UP"}]
    monkeypatch.setattr(computer, "_links", lambda *_: listed)
    assert not computer.is_down("eth0", "mlx5_0")
    put(root / "sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN")
    assert computer.is_down("eth0", "mlx5_0") and not computer.is_down("eth0", "")
    listed[0]["operstate"] = "LOWERLAYERDOWN"
    assert computer.is_down("eth0", "")


@pytest.mark.parametrize(
    ("there", "first"),
    [
        ([("inet6", "link", "fe80::1")], ""),
        ([("inet6", "link", "fe80::1"), ("inet6", "global", "fd00::1")], "fd00::1"),
        ([("inet6", "global", "fd00::1"), ("inet", "global", "10.1.0.1")], "10.1.0.1"),
    ],
)
def test_a_link_local_address_is_not_used(
    monkeypatch: pytest.MonkeyPatch, there: list[tuple[str, str, str]], first: str
) -> None:
    listed = [dict(zip(("family", "scope", "local"), each, strict=True)) for each in there]
    answer = subprocess.CompletedProcess([], 0, json.dumps([{"ifname": "eth0", "addr_info": listed}]))
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: answer)
    assert computer.address_of("eth0") == first


def test_a_host_without_any_such_file_has_an_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computer, "SYS", tmp_path)
    monkeypatch.setattr(computer, "PROC", tmp_path)
    assert computer.identity("eth0", "").keys() == {"kernel", "processor"} and computer.counters() == {}


@pytest.mark.parametrize(
    ("address", "number"), [("10.1.0.2", "3"), ("fe80::1", "0"), ("fd00::1", "12"), ("10.1.0.3", "0"), ("", "0")]
)
def test_the_gid_of_an_address_is_the_one_of_roce_v2_else_the_first(
    computer_with: Pretend, address: str, number: str
) -> None:
    port, mapped = (
        computer_with("mlx5_0") / "sys/class/infiniband/mlx5_0/ports/1",
        "0000:0000:0000:0000:0000:ffff:0a01:0002",
    )
    gids = {0: "fe80:0000:0000:0000:0000:0000:0000:0001", 2: mapped, 3: mapped}
    gids[12] = "fd00:0000:0000:0000:0000:0000:0000:0001"
    for index, gid in gids.items():
        put(port / f"gids/{index}", gid)
        put(port / f"gid_attrs/types/{index}", "IB/RoCE v1" if index == 2 else "RoCE v2")
    assert computer.gid_of("mlx5_0", address) == number
    assert computer.gid_of("", address) == ""
