from pathlib import Path

import pytest
from tests.lab.sites.computers import pretend, put

from lab.sites import node


def test_firmware_governor_turbo_card_and_link_identify_a_computer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(tmp_path, monkeypatch, "mlx5_0")
    found = node.identity("eth0", "mlx5_0")
    assert (found["firmware"], found["governor"], found["turbo"]) == ("28.39.1002", "performance", "off")
    assert (found["rdma"], found["card"], found["link"]) == ("MT4129", "0x15b3 0x1021", "400 Gb/sec (4X NDR)")


def test_interrupts_load_and_link_state_are_only_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch, "mlx5_0")
    state = node.state("eth0", "mlx5_0")
    assert state["irq_affinity"] == {"77": "8-9"} and state["mtu"] == "9000" and state["link_state"] == "4: ACTIVE"
    assert not state.keys() & node.identity("eth0", "mlx5_0").keys()


def test_a_card_that_does_rdma_counts_its_words_as_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch, "mlx5_0")
    found = node.counters()
    assert (found["mlx5_0.tx_bytes"], found["mlx5_0.rx_bytes"]) == (4000, 80)
    assert found["mlx5_0.out_of_sequence"] == 3


def test_the_processors_near_a_card_are_those_that_the_kernel_calls_local(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(tmp_path, monkeypatch, "mlx5_0")
    assert node.near("eth0", "mlx5_0") == {8, 9, 10, 12}
    put(tmp_path / "sys/class/net/eth1/device/local_cpulist", "4")
    assert node.near("eth1", "") == {4} and node.near("eth0", "") == set()


def test_a_computer_that_says_nothing_has_an_identity_still(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "SYS", tmp_path)
    monkeypatch.setattr(node, "PROC", tmp_path)
    assert node.identity("eth0", "").keys() == {"kernel", "processor"} and node.counters() == {}
