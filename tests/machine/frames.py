"""The log of a link's frames, as the wire writes it: pcapng with times in ns."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FRAME, FLAGS, HEAD = 6, 2, 28
EXTRA_BYTES = 24  # preamble, checksum and gap


@dataclass(frozen=True)
class Frame:
    """One frame as it came in or went out."""

    time_ns: int
    goes_out: bool
    size_bytes: int  # on the line: with all that Ethernet adds


def read(log: Path) -> list[Frame]:
    """All frames of a log."""
    return list(_frames(log.read_bytes()))


def _frames(log: bytes) -> Iterator[Frame]:
    at = 0
    while at < len(log):
        kind, length = struct.unpack_from("<II", log, at)
        if kind == FRAME:
            _, high, low, kept, size = struct.unpack_from("<5I", log, at + 8)
            code, _, flags = struct.unpack_from("<HHI", log, at + HEAD + (kept + 3) // 4 * 4)
            assert code == FLAGS
            yield Frame(high << 32 | low, flags == 2, max(size, 60) + EXTRA_BYTES)
        at += length
