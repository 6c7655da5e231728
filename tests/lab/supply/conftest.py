"""A package, a store for it, and servers on this host that a test controls."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.lab.supply.fetching import Supply


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def supply(tmp_path: Path) -> Iterator[Supply]:
    """All servers end with the test."""
    started = Supply(tmp_path)
    yield started
    for server in started.servers:
        server.end()
