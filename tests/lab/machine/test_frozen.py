"""The frozen machine in the cache: made once, whole, and what is expected of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.files.store import SUMS, seal
from lab.machine import snapshot
from lab.machine.image import Image
from lab.machine.qemu import MachineError
from lab.machine.runner import Runner
from lab.machine.snapshot import Expected
from lab.machine.sparse import digest_with_holes

Machine = Callable[..., snapshot.Frozen]


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> snapshot.Recipe:
    """The recipe of a machine that boots in no time."""

    def freeze(_: snapshot.Recipe, folder: Path) -> None:
        (folder / "memory").write_bytes(b"memory")
        (folder / "state").write_bytes(b"state")

    monkeypatch.setattr(snapshot, "freeze", freeze)
    runner = Runner(tmp_path / "runner", "qemu")
    return snapshot.Recipe(Image(tmp_path / "image", "digest"), runner, tmp_path / "a.so", "wires")


@pytest.fixture
def machine(recipe: snapshot.Recipe, tmp_path: Path) -> Machine:
    """That machine."""
    return lambda tell: snapshot.whole_machine(recipe, tmp_path, tell)


@pytest.mark.parametrize("name", ["memory", "state", SUMS])
def test_a_damaged_machine_is_frozen_again_and_that_is_said(machine: Machine, name: str) -> None:
    made = machine(lambda _: None)
    machine(pytest.fail)
    for harm in (lambda file: file.write_bytes(b"mEmory"), Path.unlink):
        harm(made.folder / name)
        told: list[str] = []
        assert machine(told.append) == made and made.memory.read_bytes() == b"memory"
        assert str(made.folder) in told[0] and name in told[0] and told[1:] == ["freezing the machine again"]
    machine(pytest.fail)


def test_a_memory_that_cannot_be_written_is_copied_once_for_this_process(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.machine.snapshot.os.access", lambda *_: False)
    made = machine(lambda _: None)
    assert made.copied is not None
    with made.opened_memory() as one, made.opened_memory() as other:
        assert one == other and os.pread(one, 10, 0) == b"memory"
    os.close(made.copied)


def test_the_identity_says_which_processor_the_arguments_ask_for(recipe: snapshot.Recipe, tmp_path: Path) -> None:
    identity = snapshot.identity(recipe, tmp_path, lambda _: None)
    model, _, cores = identity["processor"].partition(", emulated, cores: ")
    assert f"-cpu {model} -smp {cores} " in identity["arguments"]


def test_the_identity_holds_the_frozen_memory_and_not_who_froze_it(recipe: snapshot.Recipe, tmp_path: Path) -> None:
    (tmp_path / "memory").write_bytes(b"memory")
    identity = snapshot.identity(recipe, tmp_path / "one", lambda _: None)
    other = replace(recipe, runner=Runner(tmp_path, "a newer qemu"), image=Image(tmp_path, "with the same memory"))
    assert snapshot.identity(other, tmp_path / "other", lambda _: None) == identity
    assert identity["frozen"] == digest_with_holes(tmp_path / "memory")


def expecting(recipe: snapshot.Recipe, memory: str, state: str = "s" * 64) -> snapshot.Recipe:
    return replace(recipe, expected=Expected(recipe.digest, {"memory": memory, "state": state}, {}, {}))


def digest(content: bytes, folder: Path) -> str:
    (folder / "content").write_bytes(content)
    return digest_with_holes(folder / "content")


def test_a_machine_that_the_repository_knows_need_not_be_frozen_for_a_plan(
    recipe: snapshot.Recipe, tmp_path: Path
) -> None:
    assert snapshot.identity(expecting(recipe, "m" * 64), tmp_path, pytest.fail)["frozen"] == "m" * 64
    changed = replace(expecting(recipe, "m" * 64), image=Image(tmp_path, "another"))
    assert snapshot.identity(changed, tmp_path, lambda _: None)["frozen"] != "m" * 64


@pytest.mark.parametrize(("memory", "state", "said"), [(b"?", b"state", "memory"), (b"memory", b"?", "state")])
def test_another_memory_or_state_from_the_same_parts_is_refused_and_not_kept(
    recipe: snapshot.Recipe, tmp_path: Path, memory: bytes, state: bytes, said: str
) -> None:
    wrong = expecting(recipe, digest(memory, tmp_path), digest(state, tmp_path))
    for _ in range(2):
        with pytest.raises(MachineError, match=f"another {said}"):
            snapshot.whole_machine(wrong, tmp_path, lambda _: None)
    right = expecting(recipe, digest(b"memory", tmp_path), digest(b"state", tmp_path))
    snapshot.whole_machine(right, tmp_path, lambda _: None)


def test_a_whole_machine_that_is_not_the_expected_one_is_frozen_again(recipe: snapshot.Recipe, tmp_path: Path) -> None:
    made = snapshot.whole_machine(recipe, tmp_path, lambda _: None)
    (made.folder / "state").write_bytes(b"of another time")
    seal(made.folder, digest_with_holes)
    told: list[str] = []
    right = expecting(recipe, digest(b"memory", tmp_path), digest(b"state", tmp_path))
    assert snapshot.whole_machine(right, tmp_path, told.append).state.read_bytes() == b"state"
    assert told[0].endswith("is not what every other computer has")
