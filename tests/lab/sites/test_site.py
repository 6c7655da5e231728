"""Traits of sites; exact, vm, cable and Soft-RoCE on hosts that lack something (elsewhere in tests they run)."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.sites.daemons import write

from lab import doctor as doctor
from lab.errors import RecordError, SiteError
from lab.machine import results
from lab.machine.contents import INIT, SCRIPTS
from lab.machine.image import Image
from lab.machine.qemu import MachineError
from lab.machine.runner import Runner
from lab.model.trial import Job, Link, Perturbation
from lab.places import CACHE, MACHINE
from lab.sites import cable, exact, host, slurm, soft_rdma, vm
from lab.sites.agent import computer
from lab.sites.cable import Cable
from lab.sites.exact import ExactSite
from lab.sites.host import OwnDevices
from lab.sites.site import EXACT, Traits, read_traits
from lab.sites.soft_rdma import SoftRdma
from lab.sites.ssh import LinkOfHosts
from lab.sites.vm import KVM, SOFTWARE, Machine
from lab.typed_json import as_json

MADE = [Cable.traits, SoftRdma.traits, vm.VmSite(MACHINE, CACHE, 1).traits]
REAL = [OwnDevices.traits, LinkOfHosts.traits, slurm.TRAITS]


def test_exact_trials_repeat_and_only_a_link_made_for_the_run_takes_a_model() -> None:
    assert exact.ExactSite.traits == EXACT and EXACT.is_deterministic
    assert not any(traits.is_deterministic for traits in (*MADE, *REAL))
    assert all(traits.takes_models for traits in (EXACT, *MADE))
    assert not any(traits.takes_models for traits in REAL)


@pytest.mark.parametrize(("processors", "one_core"), [(1, True), (2, False)])
def test_one_vm_with_a_cable_has_both_ends_on_one_core(processors: int, *, one_core: bool) -> None:
    assert vm.VmSite(MACHINE, CACHE, processors).traits.one_core == one_core


@pytest.mark.parametrize("traits", [EXACT, *MADE, *REAL])
def test_traits_are_read_back_from_a_record_but_for_the_exact_site(traits: Traits) -> None:
    assert read_traits("any", as_json(traits)) == traits
    assert read_traits("exact", as_json(traits)) == EXACT


@pytest.mark.parametrize("values", [None, {}, [], as_json(EXACT) | {"clock": "sun"}, as_json(EXACT) | {"reachable": 1}])
def test_a_record_without_traits_is_refused(values: Any) -> None:
    with pytest.raises(RecordError, match="has no valid traits of the site ssh"):
        read_traits("ssh", values)


def test_a_lock_that_cannot_be_read_stops_it_before_anything_is_built(tmp_path: Path) -> None:
    for name in ("packages.lock", "image.toml", INIT, *SCRIPTS):
        (tmp_path / name).write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(SiteError, match=r"packages\.lock:1"):
        ExactSite(tmp_path, tmp_path / "cache").run(Job((), Link(), Perturbation(), 1))
    assert not (tmp_path / "cache").exists()


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


MESSAGE = "unshare: unshare failed: Operation not permitted"
SENTENCE = f"this computer's kernel makes no network namespace for you: {MESSAGE}"


@pytest.fixture
def contained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container in which unshare fails."""
    write(tmp_path / "unshare", f'#!/bin/sh\necho "{MESSAGE}" >&2\nexit 1\n', 0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin:/usr/sbin:/sbin")


@pytest.mark.usefixtures("contained")
def test_the_site_and_the_doctor_report_the_reason_and_a_hint() -> None:
    assert cable.refusal() == SENTENCE
    with pytest.raises(SiteError) as error:
        host.open("cable").prepare(print)
    assert str(error.value).startswith(f"{SENTENCE} (try: outside of a container, as root or ")
    (found,) = (each for each in doctor.examine("host", Path("hosts.toml")) if each.what == "network namespaces")
    assert (found.found, found.remedy) == (SENTENCE, cable.HINT)


def test_a_host_without_unshare_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert cable.refusal() == "unshare is not on this computer (util-linux)"


@pytest.fixture
def without_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computer, "SYS", tmp_path)
    monkeypatch.setattr(soft_rdma, "MODULES", ("no_such_module",))


@pytest.fixture
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)


def test_an_ordinary_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SiteError, match="only root can make a Soft-RoCE device"):
        soft_rdma.SoftRdma()


@pytest.mark.usefixtures("without_modules", "as_root")
def test_a_kernel_without_the_module_is_one_sentence() -> None:
    with pytest.raises(SiteError, match=r"has no module no_such_module: .*--site exact") as error:
        soft_rdma.SoftRdma()
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("without_modules", "own_namespaces")
def test_a_kernel_without_the_module_has_the_cable_between_namespaces() -> None:
    site = host.open()
    assert isinstance(site.connected(), Cable)
    site.stop()


@pytest.mark.usefixtures("without_modules", "as_root")
def test_a_computer_without_modprobe_has_the_cable_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert not soft_rdma.possible()
    with pytest.raises(SiteError, match="has no module no_such_module: modprobe is not on this computer"):
        soft_rdma.SoftRdma()


def test_the_devices_are_refused_while_another_run_has_them() -> None:
    with soft_rdma.taken(), pytest.raises(SiteError, match=r"another run on this computer .*host:cable"):
        soft_rdma.taken()
