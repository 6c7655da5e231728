"""The wires between two exact machines: what the plugin is told, and the file that the plugins of both ends share.

Its layout is that of code/machine/pair/layout.h.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.files.digests import sha256, sums_of
from lab.machine.line import wire as words_of
from lab.machine.qemu import path_of
from lab.machine.sparse import anonymous_file
from lab.model.trial import Link

END_BYTES, RING_BYTES = 4096, 64 << 20
COUNTS_AT, COUNTS, WIRES = 128, ("frames", "bytes", "dropped", "lost"), ("link", "side")
ALONE = "end=0"  # cards at whose other end there is nobody
# Both ends plug in their cards meanwhile; so neither waits for the other, and nothing of it is on a wire.
PLUG_NS = 150_000_000
PLUGGED_S = f"0.{PLUG_NS:09}"
# Then they rehearse, and wait until what they talked over is forgotten; idle time of a guest's costs nothing.
HOLD_NS = 75_000_000_000
WAIT_S = 80


@contextmanager
def shared_file() -> Iterator[int]:
    """The file of one pair, as long as the plugins want it: they may be forbidden to lengthen one. It has holes."""
    with anonymous_file("wires", 2 * (END_BYTES + len(WIRES) * RING_BYTES)) as shared:
        yield shared


def held(end: int, shared: int, clock_ns: int, calls: int, mailbox: int, console: int, *, trusted: bool) -> str:
    """The plugin's arguments at an end that waits for jobs: before it is plugged in nothing is sent; a trusted QEMU may
    be looked into."""
    times = f"begin={clock_ns + PLUG_NS},hold={clock_ns + HOLD_NS},trusted={int(trusted)}"
    files = f"shared={path_of(shared)},calls={calls},mailbox={mailbox},console={console}"
    return f"end={end},{files},{times},{words_of(Link())}"


def digest(machine: Path) -> str:
    """A digest of all that decides what the wires do with a frame, besides its link's model."""
    sources = {each.name: sha256(each) for each in machine.glob("pair/*.[ch]")}
    return hashlib.sha256(sums_of(sources) + f"{PLUG_NS} {HOLD_NS} {words_of(Link())}".encode()).hexdigest()


def counts(shared: int) -> dict[str, int]:
    """What each end has put on each wire, by the wire itself: link0.frames, side1.bytes."""
    found = dict[str, int]()
    for end in (0, 1):
        values = struct.unpack("<8Q", os.pread(shared, 64, end * END_BYTES + COUNTS_AT))
        names = (f"{wire}{end}.{name}" for wire in WIRES for name in COUNTS)
        found |= dict(zip(names, values, strict=True))
    return found
