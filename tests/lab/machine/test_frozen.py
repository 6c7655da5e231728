"""Copies of sparse memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.machine import frozen

MIB = 1 << 20


def test_a_copy_has_the_same_bytes_and_holes(tmp_path: Path) -> None:
    with frozen.anonymous_file("memory", 64 * MIB) as memory:
        for position in (0, 20 * MIB, 40 * MIB - 3):
            os.pwrite(memory, b"data", position)
        frozen.copy_with_holes(memory, tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == os.pread(memory, 64 * MIB, 0)
    assert (tmp_path / "copy").stat().st_blocks * 512 < MIB


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
