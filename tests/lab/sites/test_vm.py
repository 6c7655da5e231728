"""The choices of the vm site on different hosts."""

from pathlib import Path
from typing import Any

import pytest

from lab.errors import SiteError
from lab.machine import results
from lab.machine.image import Image
from lab.machine.qemu import MachineError
from lab.machine.runner import Runner
from lab.sites import vm
from lab.sites.vm import KVM, SOFTWARE, Machine

SOFT = Machine(Image(Path("image"), "d"), Runner(Path("runner")), SOFTWARE, 2)


def site(processors: int = 2) -> vm.VmSite:
    return vm.VmSite(Path("machine"), Path("cache"), processors)


def test_two_cpus_make_two_vms_and_one_makes_a_cable() -> None:
    joined, alone = site(2), site(1)
    assert joined.joined and joined.ends.side_channel == results.SIDE[results.SERVER]
    assert not alone.joined and alone.ends.side_channel == "127.0.0.1"


def test_without_its_device_kvm_is_not_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(vm, "KVM_DEVICE", tmp_path / "kvm")
    monkeypatch.setattr(vm, "run_alone", lambda *_: pytest.fail("tried"))
    assert not site().has_kvm(SOFT)


@pytest.mark.parametrize("boots", [True, False])
def test_kvm_is_used_only_if_a_vm_boots_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, boots: bool
) -> None:
    (tmp_path / "kvm").touch()
    monkeypatch.setattr(vm, "KVM_DEVICE", tmp_path / "kvm")
    tried = []

    def run_alone(machine: Machine, *_: Any) -> None:
        tried.append(machine.acceleration)
        if not boots:
            raise MachineError("it ran longer than 20 s")

    monkeypatch.setattr(vm, "run_alone", run_alone)
    assert site().has_kvm(SOFT) is boots and tried == [KVM]


def test_another_vm_is_refused() -> None:
    with pytest.raises(SiteError, match="no variant 'kvm'"):
        vm.open("kvm")
