"""Every site that trials can run on, opened once."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests import namespaces
from tests.sites.cluster import Cluster
from tests.sites.jobs import SITES, Jobs
from tests.sites.ssh_hosts import SshHosts

from lab.places import BENCH, CACHE, MACHINE
from lab.plan.builds import keep_binaries
from lab.sites import host, slurm, ssh, vm
from lab.sites.exact import ExactSite
from lab.sites.site import Site

Opener = Callable[[], Site]


@pytest.fixture(scope="session")
def open_exact() -> Opener:
    return lambda: ExactSite(MACHINE, CACHE)


@pytest.fixture(scope="session")
def open_host() -> Opener:
    namespaces.need_own()
    return lambda: host.open("cable")


@pytest.fixture(scope="session")
def open_vm() -> Opener:
    return vm.open


@pytest.fixture(scope="session")
def ssh_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHosts]:
    namespaces.need_root()
    hosts = SshHosts(tmp_path_factory.mktemp("ssh"))
    yield hosts
    hosts.stop()


@pytest.fixture(scope="session")
def open_ssh(ssh_hosts: SshHosts) -> Opener:
    return lambda: ssh.open("", ssh_hosts.toml())


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    namespaces.need_root()
    made = Cluster(tmp_path_factory.mktemp("slurm"))
    yield made
    made.stop()


@pytest.fixture(scope="session")
def open_slurm(cluster: Cluster) -> Opener:
    return lambda: slurm.open("", cluster.toml())


@pytest.fixture(
    scope="session", params=[pytest.param(name, marks=pytest.mark.release) if name == "vm" else name for name in SITES]
)
def open_again(request: pytest.FixtureRequest) -> Opener:
    """Opens the site under test, as often as a test likes."""
    opener: Opener = request.getfixturevalue(f"open_{request.param}")
    return opener


@pytest.fixture(scope="session")
def site(open_again: Opener) -> Iterator[Site]:
    opened = open_again()
    opened.prepare(print)
    yield opened
    opened.stop()


@pytest.fixture(scope="session")
def programs() -> dict[Path, str]:
    return keep_binaries([BENCH / "tcp-server", BENCH / "tcp-client", BENCH / "mpi-pingpong"])


@pytest.fixture
def jobs(site: Site, programs: dict[Path, str]) -> Jobs:
    return Jobs(site.ends, programs)
