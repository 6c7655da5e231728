"""Copies of sparse memory."""

import os
from pathlib import Path

import pytest

from lab.machine import sparse

MIB = 1 << 20


def test_a_copy_has_the_same_bytes_and_holes_also_where_zeros_were_written(tmp_path: Path) -> None:
    with sparse.anonymous_file("memory", 64 * MIB) as memory:
        os.pwrite(memory, bytes(20 * MIB), MIB)
        for position in (0, 20 * MIB, 40 * MIB - 3):
            os.pwrite(memory, b"data", position)
        sparse.copy_with_holes(memory, tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == os.pread(memory, 64 * MIB, 0)
    assert (tmp_path / "copy").stat().st_blocks * 512 < MIB


def test_a_digest_is_the_same_without_holes_and_another_after_one_bit(tmp_path: Path) -> None:
    with sparse.anonymous_file("memory", 8 * MIB) as memory:
        os.pwrite(memory, b"data", 5 * MIB + 7)
        sparse.copy_with_holes(memory, tmp_path / "copy")
    content = (tmp_path / "copy").read_bytes()
    digest = sparse.digest_with_holes(tmp_path / "copy")
    (tmp_path / "full").write_bytes(content)
    assert sparse.digest_with_holes(tmp_path / "full") == digest
    for place in (0, 5 * MIB + 7, 8 * MIB - 1):
        flipped = bytearray(content)
        flipped[place] ^= 1
        (tmp_path / "full").write_bytes(flipped)
        assert sparse.digest_with_holes(tmp_path / "full") != digest
    (tmp_path / "full").write_bytes(content[MIB:] + content[:MIB])
    assert sparse.digest_with_holes(tmp_path / "full") != digest
    (tmp_path / "full").write_bytes(content + bytes(1))
    assert sparse.digest_with_holes(tmp_path / "full") != digest


def test_a_full_disk_is_noticed() -> None:
    with sparse.anonymous_file("memory") as memory:
        os.pwrite(memory, b"x" * 10_000, 0)
        with pytest.raises(OSError, match="No space left"):
            sparse.copy_with_holes(memory, Path("/dev/full"))
