import shutil
from pathlib import Path

import pytest
from tests.lab.sites.computers import pretend

from lab.sites.hosts import choose

HOSTS = '[ssh]\nclient = { login = "a", device = "mlx5_3" }\nserver = { login = "b" }\n'


def test_without_any_rdma_device_it_is_the_exact_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch)
    assert choose(tmp_path / "hosts.toml") == ("exact", "no RDMA device on this computer or in hosts.toml")


def test_a_device_of_this_computer_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch, "mlx5_0")
    (tmp_path / "hosts.toml").write_text(HOSTS)
    assert choose(tmp_path / "hosts.toml") == ("host", "this computer has the RDMA device mlx5_0")


def test_a_device_of_software_is_no_real_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch, "rxe0")
    shutil.rmtree(tmp_path / "sys/class/infiniband/rxe0/device")
    assert choose(tmp_path / "hosts.toml")[0] == "exact"


@pytest.mark.parametrize(("text", "site"), [(HOSTS, "ssh"), ('[slurm]\ndevice = "mlx5_0"\n', "slurm"), ("", "exact")])
def test_a_device_in_hosts_toml_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, site: str
) -> None:
    pretend(tmp_path, monkeypatch)
    (tmp_path / "hosts.toml").write_text(text)
    assert choose(tmp_path / "hosts.toml")[0] == site
