"""Packets between two modelled cards, by their own header: code/card/device/packet.h."""

from __future__ import annotations

import struct

from lab.grade.witness.packets import FIRST, LAST, MIDDLE, ONLY, READ, SEND, WRITE, WRITE_IMM, Packet, Role
from lab.machine.frames import Frame

TYPE = 0x88B5  # of the frame that the log shows
HEADER = struct.Struct("<4B9I3Q")
MESSAGE, ASK, ATOMIC, DATAGRAM, ANSWER, RESULT, ACK = range(7)
ACKED = 0
OPERATIONS = {0: WRITE, 1: WRITE_IMM, 2: SEND, 3: SEND}
PLACES = (MIDDLE, FIRST, LAST, ONLY)  # by the two lowest flags
GRH_BYTES, NUMBERS = 40, 1 << 24


def packet(frame: Frame, at: int) -> Packet:
    """The packet of a frame, whose header begins at a byte. Of a datagram the routing header lies before its data, so
    that none of these is in the log."""
    kind, flags, opcode, ack, origin, queue, number, size, *_ = HEADER.unpack_from(frame.head, at)
    role, operation = _role(kind, opcode)
    before = GRH_BYTES if kind == DATAGRAM else 0
    if size < before:
        role = Role.OTHER
    if kind == ACK and ack != ACKED:  # what was not taken; all before that was
        number = (number - 1) % NUMBERS
    data = frame.head[at + HEADER.size + before :][: max(size - before, 0)]
    return Packet(
        frame.time_ns, frame.goes_out, origin, queue, number, role, operation, PLACES[flags & 3], data, size - before,
        by_card=True,
    )  # fmt: skip


def _role(kind: int, opcode: int) -> tuple[Role, str]:
    if kind in (MESSAGE, DATAGRAM) and opcode in OPERATIONS:
        return Role.PART, OPERATIONS[opcode]
    return {ASK: (Role.ASK, READ), ANSWER: (Role.ANSWER, READ), ACK: (Role.ACKNOWLEDGE, "")}.get(kind, (Role.OTHER, ""))
