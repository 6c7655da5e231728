"""Memory as a sparse file: its copies, its compressed form, and a digest that holes do not change."""

import errno
import hashlib
import io
import itertools
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import zstandard

from lab.files.store import put_file

ZSTD = b"\x28\xb5\x2f\xfd"  # how zstd begins
COPY_BYTES, PAGE_BYTES = 16 << 20, 4096
NOTHING = bytes(1 << 16)  # a piece of memory that the guest never wrote: a hole in the file or zeros


@contextmanager
def anonymous_file(name: str, size: int = 0) -> Iterator[int]:
    """A file in memory, which is gone when the last process that has it open ends."""
    descriptor = os.memfd_create(name)
    try:
        os.ftruncate(descriptor, size)
        yield descriptor
    finally:
        os.close(descriptor)


def digest_with_holes(path: Path) -> str:
    """The sha256 of all pieces with their positions except those of zeros: the same with or without holes in the file,
    in an eighth of the time that all of the memory would take."""
    digest, piece = hashlib.sha256(), len(NOTHING)
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        touched = (range(start // piece, -(-end // piece)) for start, end in extents(file.fileno(), size))
        for number in dict.fromkeys(itertools.chain.from_iterable(touched)):
            data = os.pread(file.fileno(), piece, number * piece)
            if data != NOTHING[: len(data)]:
                digest.update(f"{number} {len(data)} ".encode() + data)
    digest.update(f"{size}".encode())
    return digest.hexdigest()


def compress(path: Path) -> None:
    """Compress a sparse file: a list of its parts with data, then these. A memory has a quarter of the bytes then."""
    with path.open("rb") as file, put_file(path) as making, making.open("wb") as raw:
        size = os.fstat(file.fileno()).st_size
        parts = list(extents(file.fileno(), size))
        with zstandard.ZstdCompressor(level=1).stream_writer(raw) as packed:
            packed.write(json.dumps([size, parts]).encode() + b"\n")
            for start, end in parts:
                packed.write(os.pread(file.fileno(), end - start, start))


def is_compressed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(ZSTD)) == ZSTD


def in_memory(path: Path) -> int:
    """A descriptor of a copy in memory of a sparse file, whether it is compressed or not. A damaged file's copy has
    another digest."""
    copy = os.memfd_create(path.name)
    with path.open("rb") as file:
        if is_compressed(path):
            with suppress(zstandard.ZstdError, ValueError, TypeError):
                _unpack(file, copy)
        else:
            copy_with_holes(file.fileno(), Path(f"/proc/self/fd/{copy}"))
    return copy


def _unpack(packed: BinaryIO, copy: int) -> None:
    with zstandard.ZstdDecompressor().stream_reader(packed) as stream, io.BufferedReader(stream, COPY_BYTES) as plain:
        size, parts = json.loads(plain.readline())
        os.ftruncate(copy, size)
        for start, end in parts:
            os.pwrite(copy, plain.read(min(end - start, COPY_BYTES)), start)


def copy_with_holes(source: int, target: Path) -> None:
    """Copy a sparse file with its holes, and with more of them."""
    size = os.fstat(source).st_size
    with target.open("wb") as file:
        for start, end in extents(source, size):
            file.seek(start)
            os.lseek(source, start, os.SEEK_SET)
            write_with_holes(file, os.read(source, end - start))
        file.truncate(size)


def write_with_holes(file: BinaryIO, data: bytes) -> None:
    """Write data with a hole in place of each page of zeros: two fifths of the memory that the guest wrote."""
    for start in range(0, len(data), PAGE_BYTES):
        page = data[start : start + PAGE_BYTES]
        if page == NOTHING[: len(page)]:
            file.seek(len(page), os.SEEK_CUR)
        else:
            file.write(page)


def extents(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    """The parts of a sparse file with data, in pieces that fit a buffer."""
    position = 0
    while position < size:
        try:
            start = os.lseek(descriptor, position, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # a hole up to the end
                return
            raise
        position = min(os.lseek(descriptor, start, os.SEEK_HOLE), start + COPY_BYTES)
        yield start, position
