"""The choice of this host's devices: lab.sites.host."""

import json
import subprocess
from collections import defaultdict
from typing import Any

import pytest
from tests.lab.conftest import Pretend
from tests.lab.sites.computers import of_software, put

from lab.errors import SiteError
from lab.experiment.reader import load
from lab.model.trial import Link
from lab.places import EXPERIMENTS
from lab.plan.plan import SiteFacts, make_plan
from lab.plan.planning import left_out
from lab.sites import host
from lab.sites.wall import refuse_model

TRAITS = host.OwnDevices.traits


@pytest.fixture
def addresses(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The addresses that `ip -json addr show dev X` prints, by interface."""
    local_addresses = {"eth0": "192.168.1.1", "eth1": "192.168.1.2"}

    def answer(argv: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        local = local_addresses.get(argv[-1])
        info = [{"family": "inet", "scope": "global", "local": local}] if local else []
        entries = [{"ifname": argv[-1], "addr_info": info}]
        return subprocess.CompletedProcess(argv, 0, json.dumps(entries), "")

    monkeypatch.setattr(subprocess, "run", answer)
    return local_addresses


@pytest.mark.usefixtures("addresses")
def test_two_devices_are_the_two_ends_and_one_is_both(computer_with: Pretend) -> None:
    computer_with("mlx5_0", "mlx5_1")
    ends = host.ends_of(host.choose(""))
    assert (ends.client.device, ends.server.device) == ("mlx5_0", "mlx5_1")
    assert (ends.client.host, ends.server.host) == ("192.168.1.1", "192.168.1.2")
    assert host.about(("mlx5_0", "mlx5_1")) == {"cable": "mlx5_0 to mlx5_1, both of this computer"}
    ends = host.ends_of(("mlx5_0",))
    assert ends.client == ends.server and "turn around inside it" in host.about(("mlx5_0",))["cable"]


def test_devices_of_two_kinds_are_not_paired_and_a_message_names_them(computer_with: Pretend) -> None:
    of_software(computer_with("mlx5_0", "rxe0"), "rxe0")
    assert host.choose("") == ("mlx5_0",)
    with pytest.raises(SiteError, match=r"mlx5_0 .* and rxe0 .* are of two kinds.*host:mlx5_0 alone"):
        host.open("mlx5_0,rxe0")


@pytest.mark.parametrize("file", ["hca_type", "board_id", "ports/1/link_layer", "driver"])
def test_cards_of_another_driver_model_board_or_link_layer_are_not_paired(computer_with: Pretend, file: str) -> None:
    device = computer_with("irdma0", "mlx5_0", "mlx5_1") / "sys/class/infiniband/irdma0"
    if file == "driver":
        (device / "device/driver").symlink_to("/sys/bus/pci/drivers/irdma")
    else:
        put(device / file, "another")
    assert host.choose("") == ("mlx5_0", "mlx5_1")


def test_an_active_card_comes_before_two_devices_of_software(computer_with: Pretend) -> None:
    root = computer_with("lab0", "lab1", "mlx5_0")
    for device in ("lab0", "lab1"):
        of_software(root, device)
    assert host.choose("") == ("mlx5_0",)
    put(root / "sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN")
    assert host.choose("") == ("lab0", "lab1")


@pytest.mark.usefixtures("addresses")
def test_series_with_a_link_model_are_left_out_between_two_cards(computer_with: Pretend) -> None:
    computer_with("mlx5_0", "mlx5_1")
    ends = host.ends_of(host.choose(""))
    plan = make_plan(load(EXPERIMENTS / "verbs_throughput.toml"), SiteFacts("host", ends, {}, TRAITS), defaultdict(str))
    over_cards = ("card", "card.inline", "tcp.card", "soft.card", "ib_write_bw.card")
    assert plan.experiment.left_out == (*over_cards, "tcp.gigabit")
    assert not any(each.series.link.is_modelled for each in plan.planned)
    assert left_out([plan]) == [
        f"verbs_throughput: left out on host, whose link takes no such model: {', '.join(plan.experiment.left_out)}"
    ]


def test_a_third_device_is_refused(computer_with: Pretend) -> None:
    computer_with("mlx5_0", "mlx5_1", "mlx5_2")
    with pytest.raises(SiteError, match=r"two ends, not 3: mlx5_0,mlx5_1,mlx5_2 \(try: --site host:CLIENT,SERVER"):
        host.open("mlx5_0,mlx5_1,mlx5_2")


def test_a_missing_device_or_address_is_one_sentence(computer_with: Pretend, addresses: dict[str, str]) -> None:
    computer_with("mlx5_0")
    with pytest.raises(SiteError, match=r"no RDMA device mlx5_7.*its devices: mlx5_0"):
        host.open("mlx5_7")
    addresses.clear()
    with pytest.raises(SiteError, match="eth0 has no address"):
        host.ends_of(host.choose(""))


@pytest.mark.parametrize("link", [Link(rate_bit_s=10**9), Link(delay_ns=1000), Link(loss_ppm=1), Link(offload=False)])
def test_a_real_link_takes_no_model_but_an_mtu(link: Link) -> None:
    refuse_model(Link(mtu=1500))
    with pytest.raises(SiteError, match="a real link takes no model"):
        refuse_model(link)
