"""Packets of RoCE v2, which Soft-RoCE sends.

Opcodes and headers: InfiniBand Architecture Specification 1.4, sections 9.2 to 9.4, and annex A17 (RoCE v2).
"""

from __future__ import annotations

import struct

from lab.grade.witness.packets import (
    ACKNOWLEDGE,
    ANSWER,
    ASK,
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

PORT = 4791
UDP_BYTES, BTH_BYTES, ICRC_BYTES = 8, 12, 4
RETH, IMM, AETH, DETH = 16, 4, 4, 8
# Of a reliable connection, and of an unreliable one 0x20 more, and of the only packet of a datagram 0x60: what the
# packet is there for, what the message is, where the packet stands in it, and the bytes before the payload.
KINDS = {
    0x00: (PART, SEND, FIRST, 0),
    0x01: (PART, SEND, MIDDLE, 0),
    0x02: (PART, SEND, LAST, 0),
    0x03: (PART, SEND, LAST, IMM),
    0x04: (PART, SEND, ONLY, 0),
    0x05: (PART, SEND, ONLY, IMM),
    0x06: (PART, WRITE, FIRST, RETH),
    0x07: (PART, WRITE, MIDDLE, 0),
    0x08: (PART, WRITE, LAST, 0),
    0x09: (PART, WRITE_IMM, LAST, IMM),
    0x0A: (PART, WRITE, ONLY, RETH),
    0x0B: (PART, WRITE_IMM, ONLY, RETH + IMM),
    0x0C: (ASK, READ, ONLY, RETH),
    0x0D: (ANSWER, READ, FIRST, AETH),
    0x0E: (ANSWER, READ, MIDDLE, 0),
    0x0F: (ANSWER, READ, LAST, AETH),
    0x10: (ANSWER, READ, ONLY, AETH),
    0x11: (ACKNOWLEDGE, "", ONLY, AETH),
    0x16: (PART, SEND, LAST, IMM),
    0x17: (PART, SEND, ONLY, IMM),
    0x64: (PART, SEND, ONLY, DETH),
    0x65: (PART, SEND, ONLY, DETH + IMM),
}
NOTHING = (OTHER, "", "", 0)
UNRELIABLE, NEGATIVE = 0x20, 0x20
FIRST_PORT, PORT_BITS = 0xC000, 14


def port_between(one: int, other: int) -> int:
    """The port of UDP that Soft-RoCE sends from, either way, by its two queue pairs (rdma_get_udp_sport of Linux)."""
    product = one * other
    product ^= product >> 20
    label = (product ^ product >> 40) & 0xFFFFF
    return FIRST_PORT | (label ^ label >> PORT_BITS) & (1 << PORT_BITS) - 1


def packet(frame: Frame, at: int, end: int) -> Packet:
    """The packet of a frame whose header of UDP begins at a byte, and what it carries ends at another."""
    port = int.from_bytes(frame.head[at : at + 2], "big")
    at += UDP_BYTES
    opcode, padding, _, queue, number = struct.unpack_from(">BBHII", frame.head, at)
    at += BTH_BYTES
    left = end - at - ICRC_BYTES - (padding >> 4 & 3)
    opcode = opcode - UNRELIABLE if UNRELIABLE <= opcode < 2 * UNRELIABLE else opcode
    role, operation, place, before = KINDS.get(opcode, NOTHING)
    if left < before or (role == ACKNOWLEDGE and frame.head[at : at + 1] >= bytes([NEGATIVE])):
        role = OTHER
    data = frame.head[at + before : at + max(left, before)]
    return Packet(
        frame.time_ns, frame.goes_out, port, queue % NUMBERS, number % NUMBERS, role, operation, place, data,
        left - before,
    )  # fmt: skip
