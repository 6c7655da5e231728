"""Soft-RoCE on hosts without it; tests/kernel tests it on a kernel with its modules."""

import os
from pathlib import Path

import pytest

from lab.errors import SiteError
from lab.sites import host, soft_rdma
from lab.sites.agent import computer
from lab.sites.cable import Cable


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
