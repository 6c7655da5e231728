"""The programs, built in a folder whose name means something to make, to a shell and to the compiler."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("tcp-client", "mpi-pingpong")


def built(folder: Path) -> list[str]:
    """The digests of programs that are built in a checkout there."""
    shutil.copytree(ROOT / "code" / "bench", folder / "code" / "bench")
    out = "../../.cache/bench"
    wanted = [f"{out}/{name}" for name in PROGRAMS]
    subprocess.run(["make", "-s", "-j2", "-C", folder / "code" / "bench", *wanted], check=True)
    return [hashlib.sha256((folder / ".cache/bench" / name).read_bytes()).hexdigest() for name in PROGRAMS]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return built(tmp_path_factory.mktemp("plain"))


def test_a_program_is_the_same_in_a_folder_of_any_name(plain: list[str], tmp_path: Path) -> None:
    assert built(tmp_path / 'Übung 1 (Ada\'s "lab") $HOME = #3%') == plain
