"""The findings of `lab doctor`."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.conftest import PEERS, Lab, Pretend
from tests.sites.daemons import write

from lab import doctor
from lab.doctor import CHECKS, Diagnosis, examine, format_findings
from lab.errors import LabError
from lab.typed_json import JsonTable


def test_packages_that_a_first_run_would_download_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c = (f"aa 1 all pool/a/{name}.deb {name * 64} 5000000" for name in "abc")
    sections = ("[guest]", a, "[compiler]", b, "[runner amd64]", b, c, "")
    (tmp_path / "packages.lock").write_text("\n".join(("date 20261121T000000Z", *sections)))
    (tmp_path / "lab.toml").write_text('[supply]\nproviders = ["apt", "/srv/course"]\n')
    monkeypatch.setattr("lab.machine.runner.architecture", lambda: "amd64")
    monkeypatch.delenv("LAB_SUPPLY", raising=False)
    for name, path in (("MACHINE", tmp_path), ("CACHE", tmp_path), ("SETTINGS", tmp_path / "lab.toml")):
        monkeypatch.setattr(doctor, name, path)
    (tmp_path / "packages").mkdir()
    for present, found in (("b", "2 to fetch, 10 MB, from apt, /srv/course"), ("ac", "all 3 are there")):
        for name in present:
            (tmp_path / "packages" / f"{name * 64}.deb").touch()
        packages = next(doctor.examine("exact", tmp_path))
        assert (packages.found, packages.remedy) == (found, "")
    (tmp_path / "packages.lock").write_text("nonsense")
    packages = next(doctor.examine("exact", tmp_path))
    assert "nonsense" in packages.found and packages.remedy


def test_all_sites_fit_on_one_page() -> None:
    findings = {site: list(examine(site, Path("none.toml"))) for site in CHECKS}
    assert [site for site, of_site in findings.items() if of_site] == ["exact", "vm", "host", "ssh", "slurm"]
    assert {"packages", "disk", "QEMU's version"} <= {each.what for each in findings["exact"]}
    assert len(format_findings(findings).splitlines()) <= 50


@pytest.mark.parametrize(("site", "status"), [("slurm", 0), ("exact", 1)])
def test_findings_are_marked_and_only_the_exact_site_must_work(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, site: str, status: int
) -> None:
    answers = (
        Diagnosis("gcc", "/usr/bin/gcc"),
        Diagnosis("KVM", "none", missing=True),
        Diagnosis("sbatch", "not installed", "log in"),
    )
    monkeypatch.setattr("lab.doctor.examine", lambda name, _: answers if name == site else ())
    lines = ["  ok gcc     /usr/bin/gcc", "  -- KVM     none", "  no sbatch  not installed; try: log in", ""]
    found, out, _ = lab("doctor")
    assert found == status and "\n".join([site, *lines]) in out


@pytest.mark.parametrize(
    ("address", "state", "shown", "remedy"),
    [
        ("10.1.0.1", {"link_state": "4: ACTIVE", "gids": "2 RoCE v2", "mtu": "9000"},
         "mlx5_0 (4: ACTIVE), GIDs: 2 RoCE v2, eth0 (MTU 9000), 10.1.0.1", ""),
        ("10.1.0.1", {"link_state": "1: DOWN", "down": True, "mtu": "1500"},
         "mlx5_0 (1: DOWN), eth0 (MTU 1500), 10.1.0.1", "ip link set eth0 up over there"),
        ("", {"link_state": "4: ACTIVE", "mtu": "1500"},
         "mlx5_0 (4: ACTIVE), eth0 (MTU 1500)", "an address for eth0 over there"),
        ("10.1.0.1", {"down": True}, "mlx5_0 (not there), eth0 (MTU unknown), 10.1.0.1",
         "rdma link over there, which lacks mlx5_0")
    ]
)  # fmt: skip
def test_host_shows_its_end_of_the_link_and_what_keeps_it_from_working(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, state: JsonTable, shown: str, remedy: str
) -> None:
    found = {"device": "mlx5_0", "interface": "eth0", "address": address}
    monkeypatch.setattr(doctor, "ask_host", lambda *_: (found, state))
    hosts = write(tmp_path / "hosts.toml", '[ssh]\nclient = { login = "a" }\nserver = { login = "b" }\n')
    (client,) = (each for each in doctor.examine("ssh", hosts) if each.what == "a")
    assert (client.found, client.remedy) == (f"reached; client on {shown}", remedy)


LISTS = {
    "srun: MPI types are...\nsrun: pmi2\nsrun: none": ("pmi2", "orterun"),
    "MPI plugin types are...\n\tnone\n\tpmix_v3\n\tpmi2": ("pmix_v3, pmi2", "pmix_v3"),
    "MPI plugin types are...\n\tnone\nspecific pmix plugin versions available: pmix_v4": ("nothing", "orterun"),
}


@pytest.mark.parametrize("listed", LISTS)
def test_srun_without_the_chosen_pmi_is_reported_with_the_key_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: str
) -> None:
    for name in ("sbatch", "srun", "scontrol", "sinfo"):
        write(tmp_path / name, f"#!/bin/sh\nprintf '{listed}' >&2\n", 0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    there, key = LISTS[listed]
    (mpi,) = (each for each in doctor.examine("slurm", tmp_path / "none.toml") if each.what == "MPI")
    assert (mpi.found, mpi.remedy) == (f"srun --mpi has no pmix, but {there}", f'mpi = "{key}" under [slurm]')
    hosts = write(tmp_path / "hosts.toml", f'[slurm]\nmpi = "{key}"\n')
    assert not [each for each in doctor.examine("slurm", hosts) if each.what in ("MPI", "orterun") and each.remedy]


def test_devices_show_their_link_and_their_gids(computer_with: Pretend) -> None:
    types = computer_with("mlx5_0") / "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types"
    types.mkdir(parents=True)
    for number, kind in enumerate(("IB/RoCE v1", "RoCE v2")):
        (types / str(number)).write_text(kind + "\n")
    found = {each.what: each.found for each in doctor.examine("host", Path("none.toml"))}
    assert found["mlx5_0"] == "4: ACTIVE, 400 Gb/sec (4X NDR), eth0"
    assert found["mlx5_0 GIDs"] == "1 IB/RoCE v1, 1 RoCE v2"


@pytest.mark.parametrize(("limit_mib", "enough"), [(8, False), (128, False), (129, True)])
def test_locked_memory_is_compared_with_the_largest_planned_message(
    monkeypatch: pytest.MonkeyPatch, experiment_file: Callable[[str], Path], *, limit_mib: int, enough: bool
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("resource.getrlimit", lambda _: (limit_mib << 20, limit_mib << 20))
    perftest, _, _ = PEERS.replace("1..1K*4", "64,64M").partition('[[series]]\nname = "iperf"')
    planned = experiment_file(perftest)
    monkeypatch.setattr(doctor, "all_experiments", lambda: [planned])
    (found,) = (each for each in doctor.examine("host", Path("none.toml")) if each.what == "locked memory")
    assert "needs 129 MiB" in found.found and (found.remedy == "") is enough


def test_missing_kvm_device_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.sites.vm.KVM_DEVICE", tmp_path / "none")
    assert "none cannot be opened: VMs run in software" in next(doctor.examine("vm", tmp_path)).found


def test_vm_that_cannot_be_tried_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise LabError("no image")

    (tmp_path / "kvm").touch()
    (tmp_path / "machine").mkdir()
    monkeypatch.setattr("lab.sites.vm.KVM_DEVICE", tmp_path / "kvm")
    monkeypatch.setattr("lab.sites.vm.open", broken)
    monkeypatch.setattr(doctor, "CACHE", tmp_path)
    assert "not tried: no image" in next(doctor.examine("vm", tmp_path)).found
