from collections.abc import Callable
from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.sites.hosts import Host, has, read_slurm, read_ssh

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(text: str) -> Path:
        (tmp_path / "hosts.toml").write_text(text)
        return tmp_path / "hosts.toml"

    return make


def test_two_hosts_with_the_little_that_must_be_said(write: Write) -> None:
    ssh = read_ssh(write('[ssh]\nclient = { login = "a", address = "10.1.0.1" }\nserver = { login = "b" }\n'))
    assert (ssh.client, ssh.server) == (Host("a", "10.1.0.1"), Host("b"))


def test_a_cluster_may_need_nothing_and_may_need_much(write: Write, tmp_path: Path) -> None:
    assert read_slurm(tmp_path / "none.toml").minutes == 30
    slurm = read_slurm(write('[slurm]\npartition = "gpu"\nminutes = 5\nmodules = ["gcc"]\n'))
    assert (slurm.partition, slurm.minutes, slurm.modules) == ("gpu", 5, ("gcc",))


@pytest.mark.parametrize(
    ("line", "launcher"),
    [("", "srun"), ('mpi = "pmix"', "srun"), ('mpi = "pmi2"', "srun:pmi2"), ('mpi = "orterun"', "orterun on nodes")],
)
def test_how_ranks_are_started_is_said_by_one_key(write: Write, line: str, launcher: str) -> None:
    assert read_slurm(write(f"[slurm]\n{line}\n")).launcher == launcher


def test_whether_there_is_a_table(write: Write, tmp_path: Path) -> None:
    file = write("[slurm]\n")
    assert has(file, "slurm") and not has(file, "ssh") and not has(tmp_path / "none.toml", "ssh")


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("[slurm]\n", 1, "there is no [ssh]"),
        (
            '[ssh]\nclient = { login = "a" }\n',
            1,
            "ssh: the key 'server' is missing, expected server = { login = \"HOST\" }",
        ),
        (
            '[ssh]\nconfig = "c"\nclient = { logon = "a" }\nserver = { login = "b" }\n',
            3,
            "unknown key 'logon', expected one of address, device, folder, interface, login (try: 'login'?)",
        ),
        ('[ssh]\nclient = { login = 7 }\nserver = { login = "b" }\n', 2, "ssh.client.login is 7, expected a word"),
        ('[ssh]\nclient = { address = "x" }\nserver = { login = "b" }\n', 2, "ssh.client: the key 'login' is missing"),
        ("[slurm]\n[ssf]\n", 2, "unknown key 'ssf', expected one of slurm, ssh (try: 'ssh'?)"),
        ("[slurm]\nminutes = -5\n", 2, "slurm.minutes is -5, expected at least 1"),
        ("[slurm]\nminutes = 30.0\n", 2, "slurm.minutes is 30.0, expected an integer (try: minutes = 30)"),
        ('[ssh]\nclient = { login = "a", folder = "/" }\nserver = { login = "b" }\n', 2, "ssh.client.folder"),
        ('[ssh]\nclient = { login = "-oProxyCommand=x" }\nserver = { login = "b" }\n', 2, "a word that ssh takes"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(write: Write, text: str, line: int, sentence: str) -> None:
    with pytest.raises(SpecError) as error:
        read_ssh(write(text))
    assert sentence in str(error.value) and (error.value.line or 1) == line
