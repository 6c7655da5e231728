"""The programs under test, kept once for all tests of this folder, and the site with this kernel's Soft-RoCE."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.places import BENCH
from lab.plan.builds import keep_binaries
from lab.sites import host
from lab.sites.agent import client
from lab.sites.wall import WallSite

BINARIES = ("tcp-server", "tcp-client", "verbs-server", "verbs-client", "mpi-pingpong")


@pytest.fixture(scope="module", autouse=True)
def patient() -> Iterator[None]:
    """Beside other work an emulated computer may take more than 20 s for what an agent answers at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "ANSWER_S", 200.0)
        yield


@pytest.fixture(scope="session")
def programs() -> dict[Path, str]:
    return keep_binaries([BENCH / name for name in BINARIES])


@pytest.fixture
def site() -> Iterator[WallSite]:
    opened = host.open()
    yield opened
    opened.stop()
