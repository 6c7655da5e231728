"""Copies of sparse memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.files.digests import SUMS
from lab.machine import frozen
from lab.machine.image import Image
from lab.machine.runner import Runner

MIB = 1 << 20


def test_a_copy_has_the_same_bytes_and_holes(tmp_path: Path) -> None:
    with frozen.anonymous_file("memory", 64 * MIB) as memory:
        for position in (0, 20 * MIB, 40 * MIB - 3):
            os.pwrite(memory, b"data", position)
        frozen.copy_with_holes(memory, tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == os.pread(memory, 64 * MIB, 0)
    assert (tmp_path / "copy").stat().st_blocks * 512 < MIB


def test_a_digest_is_the_same_without_holes_and_another_after_one_bit(tmp_path: Path) -> None:
    with frozen.anonymous_file("memory", 8 * MIB) as memory:
        os.pwrite(memory, b"data", 5 * MIB + 7)
        frozen.copy_with_holes(memory, tmp_path / "copy")
    content = (tmp_path / "copy").read_bytes()
    digest = frozen.digest_with_holes(tmp_path / "copy")
    (tmp_path / "full").write_bytes(content)
    assert frozen.digest_with_holes(tmp_path / "full") == digest
    for place in (0, 5 * MIB + 7, 8 * MIB - 1):
        flipped = bytearray(content)
        flipped[place] ^= 1
        (tmp_path / "full").write_bytes(flipped)
        assert frozen.digest_with_holes(tmp_path / "full") != digest
    (tmp_path / "full").write_bytes(content[MIB:] + content[:MIB])
    assert frozen.digest_with_holes(tmp_path / "full") != digest
    (tmp_path / "full").write_bytes(content + bytes(1))
    assert frozen.digest_with_holes(tmp_path / "full") != digest


def test_pieces_are_no_larger_than_a_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frozen, "COPY_BYTES", 4096)
    with frozen.anonymous_file("memory") as memory:
        os.pwrite(memory, b"x" * 10_000, 0)
        assert list(frozen.extents(memory, 10_000)) == [(0, 4096), (4096, 8192), (8192, 10_000)]


def test_a_full_disk_is_noticed() -> None:
    with frozen.anonymous_file("memory") as memory:
        os.pwrite(memory, b"x" * 10_000, 0)
        with pytest.raises(OSError, match="No space left"):
            frozen.copy_with_holes(memory, Path("/dev/full"))


Machine = Callable[..., frozen.Frozen]


class Anyone(Runner):
    """A QEMU that only says what it is."""

    def version(self) -> str:
        return "7.2.22"


RUNNER = Anyone(Path("/nowhere"))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The frozen machine of an image that boots in no time."""

    def freeze(_image: object, _runner: object, _plugin: Path, folder: Path) -> None:
        (folder / "memory").write_bytes(b"memory")
        (folder / "state").write_bytes(b"state")

    monkeypatch.setattr(frozen, "freeze", freeze)
    monkeypatch.setattr(frozen, "identity", lambda image, _: {"image": image.digest})
    image = Image(tmp_path / "image", "digest")
    return lambda tell: frozen.whole_machine(image, RUNNER, tmp_path / "plugin.so", tmp_path, tell)


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
    monkeypatch.setattr("lab.machine.frozen.os.access", lambda *_: False)
    made = machine(lambda _: None)
    assert made.copied is not None
    with made.opened_memory() as one, made.opened_memory() as other:
        assert one == other and os.pread(one, 10, 0) == b"memory"
    os.close(made.copied)


def test_the_identity_says_which_processor_the_arguments_ask_for(tmp_path: Path) -> None:
    identity = frozen.identity(Image(tmp_path, "d" * 64), RUNNER)
    model, _, cores = identity["processor"].partition(", emulated, cores: ")
    assert f"-cpu {model} -smp {cores} " in identity["arguments"]
