"""How `make test` shares the tests among its workers: what uses one thing of this computer stays together."""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# One cluster, two ssh servers, one cable: the slow ones first, so that no worker is left alone with them.
TOGETHER = ("sites", "kernel")


@pytest.hookimpl(tryfirst=True)  # before xdist asks for the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each folder of TOGETHER is one group, each other file one of its own."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group_of(item.path)))
    items.sort(key=lambda item: group_of(item.path) not in TOGETHER)


def group_of(file: Path) -> str:
    """The name of a test's group."""
    inside = file.relative_to(TESTS)
    return inside.parts[0] if inside.parts[0] in TOGETHER else str(inside)
