"""How `make test` shares the tests among its workers: what uses one thing of this computer stays together."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from tests import namespaces
from xdist.scheduler import LoadScopeScheduling

from lab.model.trial import Outcome
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite

if TYPE_CHECKING:
    from xdist.remote import Producer

# By default an example that takes 0.2 s fails, as any may on a busy computer.
settings.register_profile("at any load", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("at any load")

TESTS = Path(__file__).parent
TOGETHER = ("sites",)  # one cluster, two ssh servers, one cable
ORDER = (TOGETHER, ("machine/test_shown",), ("machine", "release"))  # the longest first, then all others
# Simulations, compilers, whole reports and drawings: `make test-quick` leaves these folders and files out.
FOLDERS = ("analysis", "compiler", "figures", "grade", "kit", "submission", "web")
SLOW = (*(f"lab/{name}/" for name in FOLDERS), "lab/report/test_build.py", "lab/report/test_templates.py")


class Together(LoadScopeScheduling):
    """A worker takes a folder of TOGETHER whole, else a file."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid.partition("::")[0].removeprefix(f"{TESTS.name}/"))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Together:
    """In place of those that xdist names; its groups by a mark are lost on pytest 9.2."""
    return Together(config, log)


def pytest_configure() -> None:
    """A shell makes what it starts in the background deaf to Ctrl-C; the commands that are tested must hear it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the longest groups first, so that no worker is left alone with one, and mark the slow ones."""
    items.sort(
        key=lambda item: next((i for i, names in enumerate(ORDER) if file_of(item).startswith(names)), len(ORDER))
    )
    for item in items:
        if file_of(item).startswith(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def users_namespaces() -> None:
    """For a sandbox or a mount of one's own; the test is left out, with the kernel's reason, where it makes none."""
    namespaces.need_users()


@pytest.fixture(scope="session")
def root_namespaces() -> None:
    """For another computer."""
    namespaces.need_root()


@pytest.fixture(scope="session")
def own_namespaces() -> None:
    """For a cable on this computer."""
    namespaces.need_own()


@pytest.fixture(scope="session")
def exact() -> Iterator[ExactSite]:
    """The site that `lab run` uses, in the same cache."""
    site = ExactSite(MACHINE, CACHE)
    site.prepare(print)
    yield site
    site.stop()


@pytest.fixture(scope="session")
def measured() -> Callable[[Outcome], Outcome]:
    """What of an outcome must be equal to the last byte: all but the host's time."""
    return lambda outcome: replace(outcome, host_seconds=0.0)


def file_of(item: pytest.Item) -> str:
    """A test's file below this folder."""
    return str(item.path.relative_to(TESTS))


def group_of(file: str) -> str:
    """The name of a test's group, by its file below this folder."""
    folder = file.partition("/")[0]
    return folder if folder in TOGETHER else file
