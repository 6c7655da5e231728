"""Packages that lie in a folder or a file."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from tests.lab.supply.fetching import CONTENT, Locking, fetched, refusal, store

from lab.supply.folder import LocalFolder, TarFile


@pytest.mark.parametrize("name", ["sha256", "file", "path"])
def test_a_folder_gives_packages_under_any_of_their_names(locked: Locking, tmp_path: Path, name: str) -> None:
    wanted = locked(CONTENT)
    names = {"sha256": f"{wanted.sha256}.deb", "file": wanted.file, "path": wanted.path}
    file = tmp_path / "course" / names[name]
    file.parent.mkdir(parents=True)
    file.write_bytes(CONTENT)
    assert fetched(store(tmp_path, LocalFolder(tmp_path / "course")), wanted) == CONTENT


def test_a_tar_file_gives_packages(locked: Locking, tmp_path: Path) -> None:
    wanted, course = locked(CONTENT), tmp_path / "course.tar"
    (tmp_path / "package").write_bytes(CONTENT)
    with tarfile.open(course, "w") as archive:
        archive.add(tmp_path / "package", f"debs/{wanted.file}")
    assert fetched(store(tmp_path, TarFile(course)), wanted) == CONTENT
    assert "course.tar does not have it" in refusal(store(tmp_path, TarFile(course)), locked(b"other", "qperf"))


@pytest.mark.parametrize("content", [b"", b"no tar" * 1000])
def test_a_course_s_file_that_is_none_is_named(locked: Locking, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "course.tar").write_bytes(content)
    assert "course.tar cannot be read" in refusal(store(tmp_path, TarFile(tmp_path / "course.tar")), locked(CONTENT))
