"""Jobs for the exact site."""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from lab.model.trial import Job, Link, Perturbation, Step
from lab.sites.exact import ExactSite


@pytest.fixture(scope="module")
def reachable() -> Iterator[Path]:
    """A folder for a checkout or a cache. A test's folder is private: the sandboxed compiler, which is another user,
    cannot reach it, and a VM would compile, which takes a minute."""
    folder = Path(tempfile.mkdtemp(prefix="lab-reachable-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def shell() -> Callable[..., Job]:
    """Make a job of one step from two shell commands; the default server is iperf3."""

    def make(client: str, server: str = "exec iperf3 -s -1 -B 10.0.0.2", **other: Any) -> Job:
        step = Step(server=("sh", "-c", server), client=("sh", "-c", client), port=5201)
        return replace(Job((step,), Link(), Perturbation(), deadline_s=30), **other)

    return make


@pytest.fixture(scope="session")
def transfer(exact: ExactSite, shell: Callable[..., Job]) -> Callable[[str, Link], dict[str, float]]:
    """Send some bytes by TCP; return bytes and bits_per_second of iperf3's server."""

    def run(size: str, link: Link) -> dict[str, float]:
        (step,) = exact.run(shell(f"exec iperf3 -c 10.0.0.2 -B 10.0.0.1 --json -n {size}", link=link)).steps
        assert (step.client_status, step.server_status) == (0, 0), step
        return cast("dict[str, float]", json.loads(step.client_out)["end"]["sum_received"])

    return run
