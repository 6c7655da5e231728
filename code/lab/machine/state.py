"""The state that QEMU saved: the guest's time in it, and without what is of the computer that froze it, so that each
freeze gives the same bytes."""

from __future__ import annotations

import os
import re
from itertools import pairwise

from lab.machine.qemu import MachineError

# In QEMU's stream: the section's name with its length before it, instance 0, version 2; then how far the processor's
# ticks and the clock of the wall were from the guest's when it was saved, each in 8 bytes with 8 unused ones between.
TIMER = b"\x05timer" + (0).to_bytes(4) + (2).to_bytes(4)
TIMES = 24
# A part of that section: what the guest's clock was moved on by while its processor halted, and its instructions.
COUNT = b"\x0ctimer/icount" + (1).to_bytes(4)
# QEMU sends the memory that is in no file of ours, its ROMs, in parts: whenever 50 ms are over it begins another one,
# and the last one when it takes the rest for quickly sent. Between two parts are a mark, the number of the memory's
# section twice, and the kind of the next part; behind the last one the next section begins.
MARK, PART, LAST_PART, OTHER_SECTION = b"\0\0\0\0\0\0\0\x10\x7e", b"\x02", b"\x03", b"\x04"
BREAK = re.compile(MARK + rb"(.{4})(?:([" + PART + LAST_PART + rb"])\1|(?=" + OTHER_SECTION + rb"))", re.DOTALL)
OTHER_FORM = "QEMU saved its state in another form than it should"


def forget_host(state: int) -> None:
    """Leave nothing in it of the computer that saved it."""
    saved = without_host(os.pread(state, os.fstat(state).st_size, 0))
    os.ftruncate(state, 0)
    os.pwrite(state, saved, 0)


def without_host(saved: bytes) -> bytes:
    """With zeros for those two times, which are never asked for where time is counted in instructions, and with the
    memory in one part."""
    start = _behind(TIMER, saved)
    return _in_one_part(saved[:start] + bytes(TIMES) + saved[start + TIMES :])


def _in_one_part(saved: bytes) -> bytes:
    """All of the memory in the first part, and an empty last one: as where nothing else keeps QEMU from its work."""
    breaks = list(BREAK.finditer(saved))
    if len(breaks) < 2 or breaks[-1][2]:
        raise MachineError(OTHER_FORM)
    first, last, section = breaks[0], breaks[-1], breaks[0][1]
    pages = b"".join(saved[one.end() : following.start()] for one, following in pairwise(breaks))
    one_part, last_part = (MARK + section + kind + section for kind in (PART, LAST_PART))
    return saved[: first.start()] + one_part + pages + last_part + saved[last.start() :]


def clock_ns(saved: bytes) -> int:
    """The guest's time in a saved state, where an instruction is 1 ns."""
    start = _behind(COUNT, saved)
    return sum(int.from_bytes(saved[at : at + 8]) for at in (start, start + 8))


def _behind(name: bytes, saved: bytes) -> int:
    if saved.count(name) != 1:
        raise MachineError(OTHER_FORM)
    return saved.index(name) + len(name)
