"""Builds are made once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lab.compiler import build, toolchain
from lab.compiler.build import build_once, built_before
from lab.compiler.compilation import Compilation
from lab.files import bounded

TASK = Compilation({"mine.c": b"int main;"}, ("make",), ("out/mine",))


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Compilation]:
    """The tasks that ran, by a compiler that copies."""
    ran = list[Compilation]()

    def run(task: Compilation, *_: object) -> tuple[int, bytes]:
        ran.append(task)
        return 0, bounded.pack({"out/mine": task.files["mine.c"]})

    monkeypatch.setattr(build, "run", run)
    monkeypatch.setattr(toolchain, "place", lambda *_: tmp_path / "toolchain")
    return ran


def made(task: Compilation, cache: Path) -> bytes:
    return build_once(task, cache, cache, print)["out/mine"]


def test_a_build_runs_once_for_the_same_sources_command_and_compiler(
    tmp_path: Path, runs: list[Compilation], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(TASK, files={"mine.c": b"int other;"})
    assert [made(each, tmp_path) for each in (TASK, TASK, other)] == [b"int main;", b"int main;", b"int other;"]
    made(replace(TASK, command=("make", "-s")), tmp_path)
    monkeypatch.setattr(toolchain, "place", lambda *_: tmp_path / "newer")
    made(TASK, tmp_path)
    assert len(runs) == 4


def test_a_damaged_one_runs_again(tmp_path: Path, runs: list[Compilation]) -> None:
    made(TASK, tmp_path)
    (folder,) = (each for each in (tmp_path / "built").iterdir() if each.is_dir())
    (folder / "out" / "mine").write_bytes(b"damaged")
    assert made(TASK, tmp_path) == b"int main;" and len(runs) == 2


def test_what_was_built_before_is_found_and_nothing_is_built_for_it(tmp_path: Path, runs: list[Compilation]) -> None:
    assert built_before(TASK, tmp_path, tmp_path) == {} and not runs
    made(TASK, tmp_path)
    assert built_before(TASK, tmp_path, tmp_path) == {"out/mine": b"int main;"}
    assert built_before(replace(TASK, files={"mine.c": b"int other;"}), tmp_path, tmp_path) == {} and len(runs) == 1
