"""hosts.toml, and the site that is used when none is named."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.conftest import Pretend

from lab.errors import SpecError
from lab.sites.hosts import Host, choose, has, read_slurm, read_ssh

Write = Callable[[str], Path]
HOSTS = '[ssh]\nclient = { login = "a", device = "mlx5_3" }\nserver = { login = "b" }\n'


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(text: str) -> Path:
        (tmp_path / "hosts.toml").write_text(text)
        return tmp_path / "hosts.toml"

    return make


def test_two_hosts_need_only_their_logins(write: Write, tmp_path: Path) -> None:
    file = write('[ssh]\nclient = { login = "a", address = "10.1.0.1" }\nserver = { login = "b" }\n')
    ssh = read_ssh(file)
    assert (ssh.client, ssh.server) == (Host("a", "10.1.0.1"), Host("b"))
    assert has(file, "ssh") and not has(file, "slurm") and not has(tmp_path / "none.toml", "ssh")


def test_a_cluster_needs_no_settings_and_takes_many(write: Write, tmp_path: Path) -> None:
    assert read_slurm(tmp_path / "none.toml").minutes == 30
    slurm = read_slurm(write('[slurm]\npartition = "gpu"\nminutes = 5\nmodules = ["gcc"]\n'))
    assert (slurm.partition, slurm.minutes, slurm.modules) == ("gpu", 5, ("gcc",))


@pytest.mark.parametrize(
    ("line", "launcher"),
    [("", "srun"), ('mpi = "pmix"', "srun"), ('mpi = "pmi2"', "srun:pmi2"), ('mpi = "orterun"', "orterun on nodes")],
)
def test_one_key_chooses_the_launcher_of_ranks(write: Write, line: str, launcher: str) -> None:
    assert read_slurm(write(f"[slurm]\n{line}\n")).launcher == launcher


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("[slurm]\n", 1, "there is no [ssh]"),
        ('[ssh]\nclient = { login = "a" }\n', 1, "the key 'server' is missing, expected server = { login = \"HOST\" }"),
        ('[ssh]\nconfig = "c"\nclient = { logon = "a" }\nserver = { login = "b" }\n', 3,
         "unknown key 'logon', expected "),
        ('[ssh]\nclient = { login = 7 }\nserver = { login = "b" }\n', 2, "ssh.client.login is 7, expected a word"),
        ("[slurm]\n[ssf]\n", 2, "unknown key 'ssf', expected one of slurm, ssh (try: 'ssh'?)"),
        ("[slurm]\nminutes = -5\n", 2, "slurm.minutes is -5, expected at least 1"),
        ('[ssh]\nclient = { login = "a", folder = "/" }\nserver = { login = "b" }\n', 2, "ssh.client.folder"),
        ('[ssh]\nclient = { login = "-oProxyCommand=x" }\nserver = { login = "b" }\n', 2, "a word that ssh takes"),
    ],
)  # fmt: skip
def test_an_invalid_setting_is_refused_with_its_line(write: Write, text: str, line: int, sentence: str) -> None:
    with pytest.raises(SpecError) as error:
        read_ssh(write(text))
    assert sentence in str(error.value) and (error.value.line or 1) == line


@pytest.mark.parametrize(
    ("devices", "text", "site", "why"),
    [
        ((), "", "exact", "no RDMA device on this computer or in hosts.toml"),
        (("mlx5_0",), HOSTS, "host", "this computer has the RDMA device mlx5_0"),
        (("rxe0",), "", "exact", "no RDMA device"),
        ((), HOSTS, "ssh", "hosts.toml names the RDMA device mlx5_3"),
        ((), '[slurm]\ndevice = "mlx5_0"\n', "slurm", "hosts.toml names the RDMA device mlx5_0"),
    ],
)
def test_the_site_is_chosen_by_real_devices_of_this_host_then_by_hosts_toml(
    computer_with: Pretend, tmp_path: Path, write: Write, devices: tuple[str, ...], text: str, site: str, why: str
) -> None:
    computer_with(*devices)
    if "rxe0" in devices:
        shutil.rmtree(tmp_path / "sys/class/infiniband/rxe0/device")
    name, reason = choose(write(text))
    assert name == site and why in reason
