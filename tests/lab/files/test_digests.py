"""Digests of a folder: written once, asked whenever its files are used."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lab.files.store import SUMS, damage, seal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one").write_bytes(b"1")
    (tmp_path / "other").write_bytes(b"2")
    seal(tmp_path)
    return tmp_path


def test_a_folder_as_it_was_written_is_whole_and_sha256sum_says_so_too(folder: Path) -> None:
    assert damage(folder) == ""
    subprocess.run(["sha256sum", "--check", "--quiet", SUMS], cwd=folder, check=True)


def test_every_change_is_named(folder: Path) -> None:
    (folder / "one").write_bytes(b"3")
    assert damage(folder) == "one is not what was written"
    (folder / "one").unlink()
    assert damage(folder) == "one is missing"
    (folder / "one").write_bytes(b"1")
    (folder / "third").touch()
    assert damage(folder) == "third is strange there"


@pytest.mark.parametrize("content", [b"", b"\xff\x00garbage", b"0" * 64, b"\n\n"])
def test_damaged_digests_are_damage(folder: Path, content: bytes) -> None:
    (folder / SUMS).write_bytes(content)
    assert damage(folder)


def test_digests_that_are_missing_are_damage(folder: Path) -> None:
    (folder / SUMS).unlink()
    assert damage(folder) == f"{SUMS} is missing"
