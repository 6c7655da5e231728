"""The packets in a link's frames: RoCE v2 by its base transport header, TCP by its own.

Opcodes and headers: InfiniBand Architecture Specification 1.4, sections 9.2 to 9.4, and annex A17 (RoCE v2).
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from lab.machine.frames import Frame

ETHERNET_BYTES, IPV4, IPV6, TCP, UDP, ROCE_PORT = 14, 0x0800, 0x86DD, 6, 17, 4791
BTH_BYTES, ICRC_BYTES, UDP_BYTES = 12, 4, 8
SYN = 0x02

SEND, WRITE, WRITE_IMM, READ = "send", "write", "write-imm", "read"
# Of a reliable connection, and of an unreliable one 0x20 more: what the message is, where the packet stands in it, and
# the bytes between the base header and the payload.
ONLY, FIRST, MIDDLE, LAST = "only", "first", "middle", "last"
RETH, IMM, AETH = 16, 4, 4
REQUESTS = {
    0x00: (SEND, FIRST, 0),
    0x01: (SEND, MIDDLE, 0),
    0x02: (SEND, LAST, 0),
    0x03: (SEND, LAST, IMM),
    0x04: (SEND, ONLY, 0),
    0x05: (SEND, ONLY, IMM),
    0x06: (WRITE, FIRST, RETH),
    0x07: (WRITE, MIDDLE, 0),
    0x08: (WRITE, LAST, 0),
    0x09: (WRITE_IMM, LAST, IMM),
    0x0A: (WRITE, ONLY, RETH),
    0x0B: (WRITE_IMM, ONLY, RETH + IMM),
    0x16: (SEND, LAST, IMM),
    0x17: (SEND, ONLY, IMM),
}
ANSWERS = {0x0D: (FIRST, AETH), 0x0E: (MIDDLE, 0), 0x0F: (LAST, AETH), 0x10: (ONLY, AETH)}
READ_REQUEST, ACKNOWLEDGE = 0x0C, 0x11
UNRELIABLE, DATAGRAM, DETH = 0x20, 0x64, 8
FIRST_PORT, PORT_BITS = 0xC000, 14
Flow = tuple[int, int]  # a port of UDP, and the queue pair that packets from there go to


def port_between(one: int, other: int) -> int:
    """The port of UDP that Soft-RoCE sends from, either way, by its two queue pairs (rdma_get_udp_sport of Linux)."""
    product = one * other
    product ^= product >> 20
    label = (product ^ product >> 40) & 0xFFFFF
    return FIRST_PORT | (label ^ label >> PORT_BITS) & (1 << PORT_BITS) - 1


class Packet(NamedTuple):
    """A packet of RoCE."""

    time_ns: int
    goes_out: bool
    port: int  # of UDP that it comes from
    queue: int  # the queue pair that it goes to
    number: int  # of the packet there
    opcode: int
    behind: bytes  # what follows the base header, as far as it was logged
    behind_bytes: int  # all of that, without the check value

    @property
    def flow(self) -> Flow:
        """What is of one queue pair for another."""
        return self.port, self.queue


class Segment(NamedTuple):
    """A segment of TCP."""

    time_ns: int
    goes_out: bool
    ports: tuple[int, int]  # the client's and the server's
    sequence: int
    acknowledged: int
    flags: int
    payload_bytes: int


def decoded(frame: Frame) -> Packet | Segment | None:
    """The packet of a frame; nothing for another kind."""
    try:
        return _decoded(frame)
    except (IndexError, struct.error):  # cut off: no packet that anybody takes
        return None


def _decoded(frame: Frame) -> Packet | Segment | None:
    head, kind = frame.head, int.from_bytes(frame.head[12:14], "big")
    if kind == IPV4:
        protocol, length = head[23], int.from_bytes(head[16:18], "big")
        at = ETHERNET_BYTES + (head[14] & 15) * 4
        end = ETHERNET_BYTES + length
    elif kind == IPV6:
        protocol, at = head[20], ETHERNET_BYTES + 40
        end = at + int.from_bytes(head[18:20], "big")
    else:
        return None
    if protocol == TCP:
        return _segment(frame, at, end)
    return _packet(frame, at, end) if protocol == UDP and head[at + 2 : at + 4] == ROCE_PORT.to_bytes(2) else None


def _segment(frame: Frame, at: int, end: int) -> Segment:
    source, target, sequence, acknowledged, offset, flags = struct.unpack_from(">HHIIBB", frame.head, at)
    ports = (source, target) if frame.goes_out else (target, source)
    payload = end - at - (offset >> 4) * 4
    return Segment(frame.time_ns, frame.goes_out, ports, sequence, acknowledged, flags, payload)


def _packet(frame: Frame, at: int, end: int) -> Packet:
    port = int.from_bytes(frame.head[at : at + 2], "big")
    at += UDP_BYTES
    opcode, padding, _, queue, number = struct.unpack_from(">BBHII", frame.head, at)
    behind = at + BTH_BYTES
    left = end - behind - ICRC_BYTES - (padding >> 4 & 3)
    opcode = opcode - UNRELIABLE if UNRELIABLE <= opcode < 2 * UNRELIABLE else opcode
    skipped = DETH if opcode in (DATAGRAM, DATAGRAM + 1) else 0
    opcode = opcode - DATAGRAM + 0x04 if skipped else opcode
    low = (1 << 24) - 1
    data = frame.head[behind + skipped :]
    return Packet(frame.time_ns, frame.goes_out, port, queue & low, number & low, opcode, data, left - skipped)
