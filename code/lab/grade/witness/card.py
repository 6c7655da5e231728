"""Packets between two modelled cards, by their own header: code/card/device/packet.h."""

from __future__ import annotations

import struct

from lab.grade.witness import packets
from lab.grade.witness.packets import (
    FIRST,
    LAST,
    MIDDLE,
    NUMBERS,
    ONLY,
    OTHER,
    PART,
    READ,
    SEND,
    WRITE,
    WRITE_IMM,
    Packet,
)
from lab.machine.frames import Frame

TYPE = 0x88B5  # of the frame that the log shows
HEADER = struct.Struct("<4B9I3Q")
MESSAGE, ASK, ATOMIC, DATAGRAM, ANSWER, RESULT, ACK = range(7)
ACKED = 0
OPERATIONS = (WRITE, WRITE_IMM, SEND, SEND)
PLACES = (MIDDLE, FIRST, LAST, ONLY)  # by the two lowest flags
ROLES = {(MESSAGE, opcode): (PART, operation) for opcode, operation in enumerate(OPERATIONS)} | {
    (DATAGRAM, 2): (PART, SEND),
    (DATAGRAM, 3): (PART, SEND),
    (ASK, 4): (packets.ASK, READ),
    (ANSWER, 0): (packets.ANSWER, READ),
    (ACK, 0): (packets.ACKNOWLEDGE, ""),
}  # by kind and operation
NOTHING = (OTHER, "")
GRH_BYTES = 40


def packet(frame: Frame, at: int) -> Packet:
    """The packet of a frame, whose header begins at a byte. Of a datagram the routing header lies before its data, so
    that none of these is in the log."""
    kind, flags, opcode, ack, origin, queue, number, size, *_ = HEADER.unpack_from(frame.head, at)
    role, operation = ROLES.get((kind, opcode), NOTHING)
    before = GRH_BYTES if kind == DATAGRAM else 0
    if size < before:
        role = OTHER
    if kind == ACK and ack != ACKED:  # what was not taken; all before that was
        number = (number - 1) % NUMBERS
    data = frame.head[at + HEADER.size + before :][: max(size - before, 0)]
    return Packet(
        frame.time_ns, frame.goes_out, origin, queue, number, role, operation, PLACES[flags & 3], data, size - before,
        by_card=True,
    )  # fmt: skip
