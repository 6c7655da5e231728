"""Frames as a link carries them: RoCE v2 and TCP over IPv4, and packets between two modelled cards."""

import struct

from lab.grade.witness import packets
from lab.grade.witness.packets import port_between
from lab.machine.results import Frame

CLIENT_PORT, PAYLOAD = 40000, 32
ACK, READ_REQUEST, WRITE_ONLY, SEND_FIRST, SEND_MIDDLE, SEND_LAST, READ_ONLY = 17, 12, 10, 0, 1, 2, 16
ATOMIC_RESULT, FETCH_ADD = 0x12, 0x14
BEFORE = {ACK: 4, READ_REQUEST: 16, WRITE_ONLY: 16, READ_ONLY: 4, ATOMIC_RESULT: 4, FETCH_ADD: 28}
MIDST, BEGINS, ENDS, WHOLE = range(4)  # the flags of a card's packet


def frame(time_ns: int, ip: bytes, protocol: int, size: int, *, out: bool) -> Frame:
    head = bytes(12) + b"\x08\x00" + struct.pack(">BBHHHBB10x", 0x45, 0, 20 + size, 0, 0, 64, protocol) + ip
    return Frame(time_ns, out, 34 + size, head[:96])


def roce(
    time_ns: int, opcode: int, number: int = 0, size: int = 0, *, out: bool = True, queue: int = 17, peer: int = 17
) -> Frame:
    """A packet with so many bytes of payload, to a queue pair from its peer."""
    before, padding = BEFORE.get(opcode, 0), -size % 4
    whole = 8 + 12 + before + size + padding + 4
    udp = struct.pack(">HHHH", port_between(queue, peer), 4791, whole, 0)
    header = struct.pack(">BBHII", opcode, padding << 4, 0xFFFF, queue, number)
    return frame(time_ns, udp + header + bytes(before + PAYLOAD), 17, whole, out=out)


def by_card(
    time_ns: int, kind: int, number: int = 0, size: int = 0, *, opcode: int = 0, flags: int = WHOLE,
    ack: int = packets.ACKED, out: bool = True, here: int = 17, there: int = 18, data: bytes = b"",
) -> Frame:  # fmt: skip
    """A packet with so many bytes, between a queue pair of the client's and one of the server's."""
    ends = (here, there) if out else (there, here)
    header = packets.HEADER.pack(kind, flags, opcode, ack, *ends, number, size, *[0] * 8)
    head = bytes(12) + packets.TYPE.to_bytes(2, "big") + header + data + bytes(PAYLOAD)
    return Frame(time_ns, out, 78 + size, head[:96])


def tcp(
    time_ns: int, sequence: int, size: int = 0, *, out: bool = True, ack: int = 0, port: int = 18800, syn: bool = False
) -> Frame:
    ports = (CLIENT_PORT, port) if out else (port, CLIENT_PORT)
    header = struct.pack(">HHIIBBHHH", *ports, sequence, ack, 5 << 4, 0x02 if syn else 0x10, 0, 0, 0)
    return frame(time_ns, header + bytes(PAYLOAD), 6, 20 + size, out=out)
