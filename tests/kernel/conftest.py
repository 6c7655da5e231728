"""The programs under test, kept once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.places import BENCH
from lab.plan.binaries import keep_binaries

BINARIES = ("tcp-server", "tcp-client", "verbs-server", "verbs-client", "mpi-pingpong")


@pytest.fixture(scope="session")
def programs() -> dict[Path, str]:
    return keep_binaries([BENCH / name for name in BINARIES])
