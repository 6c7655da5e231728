"""The state that QEMU saved: the guest's time in it, and without two of the computer that froze it, so that each freeze
gives the same bytes."""

from __future__ import annotations

import os

from lab.machine.qemu import MachineError

# In QEMU's stream: the section's name with its length before it, instance 0, version 2; then how far the processor's
# ticks and the clock of the wall were from the guest's when it was saved, each in 8 bytes with 8 unused ones between.
TIMER = b"\x05timer" + (0).to_bytes(4) + (2).to_bytes(4)
TIMES = 24
# A part of that section: what the guest's clock was moved on by while its processor halted, and its instructions.
COUNT = b"\x0ctimer/icount" + (1).to_bytes(4)


def forget_times(state: int) -> None:
    """Write zeros in their place; with time counted in instructions, neither is ever asked for."""
    saved = os.pread(state, os.fstat(state).st_size, 0)
    os.pwrite(state, bytes(TIMES), _behind(TIMER, saved))


def clock_ns(saved: bytes) -> int:
    """The guest's time in a saved state, where an instruction is 1 ns."""
    start = _behind(COUNT, saved)
    return sum(int.from_bytes(saved[at : at + 8]) for at in (start, start + 8))


def _behind(name: bytes, saved: bytes) -> int:
    if saved.count(name) != 1:
        raise MachineError("QEMU saved its state in another form than it should")
    return saved.index(name) + len(name)
