"""The log of a link's frames, as the wire writes it: pcapng with times in ns (code/machine/pair/log.c)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lab.errors import SiteError

FRAME, FLAGS, OUT, HEAD = 6, 2, 2, 28
SHORTEST_BYTES, EXTRA_BYTES = 60, 24  # of a frame on an Ethernet; preamble, checksum and gap
BLOCK, VALUES, OPTION = struct.Struct("<II"), struct.Struct("<5I"), struct.Struct("<HHI")


class Frame(NamedTuple):
    """One frame as it came in or went out."""

    time_ns: int
    goes_out: bool
    size_bytes: int  # as the guest sends it
    head: bytes  # its first bytes

    @property
    def line_bytes(self) -> int:
        """With all that Ethernet adds."""
        return max(self.size_bytes, SHORTEST_BYTES) + EXTRA_BYTES


def read(log: Path) -> Iterator[Frame]:
    """All frames of a log, in the order of their times."""
    with log.open("rb") as file:
        while start := file.read(BLOCK.size):
            if len(start) < BLOCK.size or not (length := BLOCK.unpack(start)[1]):
                raise SiteError("the log of the link is cut off", str(log))
            block = start + file.read(length - BLOCK.size)
            if BLOCK.unpack(start)[0] == FRAME:
                yield _frame(block)


def _frame(block: bytes) -> Frame:
    _, high, low, kept, size = VALUES.unpack_from(block, BLOCK.size)
    code, _, flags = OPTION.unpack_from(block, HEAD + (kept + 3) // 4 * 4)
    return Frame(high << 32 | low, code == FLAGS and flags == OUT, size, block[HEAD : HEAD + kept])
