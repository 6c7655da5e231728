"""Packages in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.supply.fetching import CONTENT, Locking, fetched, store

from lab.supply.folder import LocalFolder


@pytest.mark.parametrize("name", ["sha256", "file", "path"])
def test_a_folder_gives_packages_under_any_of_their_names(locked: Locking, tmp_path: Path, name: str) -> None:
    wanted = locked(CONTENT)
    names = {"sha256": f"{wanted.sha256}.deb", "file": wanted.file, "path": wanted.path}
    file = tmp_path / "course" / names[name]
    file.parent.mkdir(parents=True)
    file.write_bytes(CONTENT)
    assert fetched(store(tmp_path, LocalFolder(tmp_path / "course")), wanted) == CONTENT
