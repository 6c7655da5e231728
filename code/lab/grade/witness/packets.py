"""Packets of a link's log: Ethernet, IP, TCP, RoCE and the modelled card."""

import struct
from typing import NamedTuple

from lab.machine.results import Frame

SEND, WRITE, WRITE_IMM, READ = "send", "write", "write-imm", "read"
# A WRITE with immediate data counts as a WRITE.
ACCEPTED = {WRITE: (WRITE, WRITE_IMM), WRITE_IMM: (WRITE_IMM,), SEND: (SEND,), READ: (READ,)}
ONLY, FIRST, MIDDLE, LAST = "only", "first", "middle", "last"
# The role of an RDMA packet: part of a message, request of a READ, its answer, acknowledgement of all packets up to a
# number.
PART, ASK, ANSWER, ACKNOWLEDGE, OTHER = "part", "ask", "answer", "acknowledge", "other"
NUMBERS = 1 << 24  # of packets, before they begin again
# Of packets with consecutive numbers: whether they go out, whether they are answers, their origin, their queue pair.
Channel = tuple[bool, bool, int, int]

ETHERNET_BYTES, IPV4, IPV6, TCP, UDP = 14, 0x0800, 0x86DD, 6, 17
SYN = 0x02

PORT = 4791
UDP_BYTES, BTH_BYTES, ICRC_BYTES = 8, 12, 4
RETH, IMM, AETH, DETH, ATOMIC_ETH = 16, 4, 4, 8, 28
# By opcode of a reliable connection: role, operation, place in the message, bytes before the payload. The opcodes of an
# unreliable connection are 0x20 higher; a datagram of one packet has 0x64 or 0x65.
ROCE_KINDS = {
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
    0x12: (ANSWER, READ, ONLY, AETH),  # an atomic is a READ of 8 bytes
    0x13: (ASK, READ, ONLY, ATOMIC_ETH),
    0x14: (ASK, READ, ONLY, ATOMIC_ETH),
    0x16: (PART, SEND, LAST, IMM),
    0x17: (PART, SEND, ONLY, IMM),
    0x64: (PART, SEND, ONLY, DETH),
    0x65: (PART, SEND, ONLY, DETH + IMM),
}
DATAGRAMS = (0x64, 0x65)
NO_ROCE_ROLE = (OTHER, "", "", 0)
UNRELIABLE, NEGATIVE = 0x20, 0x20
FIRST_PORT, PORT_BITS = 0xC000, 14

TYPE = 0x88B5  # of the frame that the log shows
HEADER = struct.Struct("<4B9I3Q")
MESSAGE, CARD_ASK, ATOMIC, DATAGRAM, CARD_ANSWER, RESULT, ACK, CONGESTION = range(8)
ACKED = 0
OPERATIONS = (WRITE, WRITE_IMM, SEND, SEND)
INSIDE, REPORTED, RUNG = 16, 32, 64  # flags: data inside the request, with a completion, the first of a doorbell
PLACES = (MIDDLE, FIRST, LAST, ONLY)  # by the two lowest flags
ROLES = {(MESSAGE, opcode): (PART, operation) for opcode, operation in enumerate(OPERATIONS)} | {
    (DATAGRAM, 2): (PART, SEND),
    (DATAGRAM, 3): (PART, SEND),
    (CARD_ASK, 4): (ASK, READ),
    (ATOMIC, 5): (ASK, READ),
    (ATOMIC, 6): (ASK, READ),
    (CARD_ANSWER, 0): (ANSWER, READ),
    (RESULT, 0): (ANSWER, READ),
    (ACK, 0): (ACKNOWLEDGE, ""),
}  # by kind and operation
NO_CARD_ROLE = (OTHER, "")
GRH_BYTES = 40


class Packet(NamedTuple):
    time_ns: int
    goes_out: bool
    origin: int  # the UDP port of the sender; of a card, the sender's queue pair
    queue: int  # the receiver's queue pair
    number: int  # of the packet there
    role: str
    operation: str = ""
    place: str = ""  # in its message
    data: bytes = b""  # of its payload, as far as the log has it
    data_bytes: int = 0  # all of its payload
    by_card: bool = False  # by a modelled card, not by Soft-RoCE
    is_datagram: bool = False
    is_reliable: bool = True  # not of an unreliable connection, where RoCE shows it
    posted: int = 0  # of a card: INSIDE, REPORTED and RUNG, as its request was posted
    address: int = 0  # of a card: where the receiver's memory is written

    @property
    def channel(self) -> Channel:
        return self.goes_out, self.role == ANSWER, self.origin, self.queue

    @property
    def is_last(self) -> bool:
        return self.place not in (FIRST, MIDDLE)


class Segment(NamedTuple):
    time_ns: int
    goes_out: bool
    ports: tuple[int, int]  # the client's and the server's
    sequence: int
    acknowledged: int
    begins: bool  # a connection
    payload_bytes: int
    flags: int = 0


def decoded(frame: Frame) -> Packet | Segment | None:
    """The packet of a frame; None for another kind."""
    try:
        return _decoded(frame)
    except (IndexError, struct.error):  # cut off: no receiver accepts such a packet
        return None


def _decoded(frame: Frame) -> Packet | Segment | None:
    head, kind = frame.head, int.from_bytes(frame.head[12:14], "big")
    if kind == TYPE:
        return card_packet(frame, ETHERNET_BYTES)
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
        source, target, sequence, acknowledged, offset, flags = struct.unpack_from(">HHIIBB", frame.head, at)
        ports = (source, target) if frame.goes_out else (target, source)
        payload = end - at - (offset >> 4) * 4
        return Segment(frame.time_ns, frame.goes_out, ports, sequence, acknowledged, bool(flags & SYN), payload, flags)
    return roce_packet(frame, at, end) if protocol == UDP and head[at + 2 : at + 4] == PORT.to_bytes(2) else None


def port_between(client: int, server: int) -> int:
    """The UDP port that both ends of Soft-RoCE send from, by the queue pairs (rdma_get_udp_sport of Linux)."""
    product = client * server
    product ^= product >> 20
    label = (product ^ product >> 40) & 0xFFFFF
    return FIRST_PORT | (label ^ label >> PORT_BITS) & (1 << PORT_BITS) - 1


def roce_packet(frame: Frame, at: int, end: int) -> Packet:
    """The packet of a frame; `at` is the first byte of the UDP header, `end` is behind the payload."""
    port = int.from_bytes(frame.head[at : at + 2], "big")
    at += UDP_BYTES
    opcode, padding, _, queue, number = struct.unpack_from(">BBHII", frame.head, at)
    at += BTH_BYTES
    left = end - at - ICRC_BYTES - (padding >> 4 & 3)
    is_reliable = not UNRELIABLE <= opcode < 2 * UNRELIABLE
    opcode = opcode if is_reliable else opcode - UNRELIABLE
    role, operation, place, before = ROCE_KINDS.get(opcode, NO_ROCE_ROLE)
    if left < before or (role == ACKNOWLEDGE and frame.head[at : at + 1] >= bytes([NEGATIVE])):
        role = OTHER
    data = frame.head[at + before : at + max(left, before)]
    return Packet(
        frame.time_ns, frame.goes_out, port, queue % NUMBERS, number % NUMBERS, role, operation, place, data,
        left - before, is_datagram=opcode in DATAGRAMS, is_reliable=is_reliable,
    )  # fmt: skip


def card_packet(frame: Frame, at: int) -> Packet:
    """The packet of a frame; `at` is the first byte of its header. A datagram has a routing header before its data, so
    the log has no data."""
    kind, flags, opcode, ack, origin, queue, number, size, *more = HEADER.unpack_from(frame.head, at)
    role, operation = ROLES.get((kind, opcode), NO_CARD_ROLE)
    before = GRH_BYTES if kind == DATAGRAM else 0
    if size < before:
        role = OTHER
    if kind == ACK and ack != ACKED:  # refused: only the packets before were accepted
        number = (number - 1) % NUMBERS
    place = ONLY if kind == RESULT else PLACES[flags & 3]
    data = frame.head[at + HEADER.size + before :][: max(size - before, 0)]
    return Packet(
        frame.time_ns, frame.goes_out, origin, queue, number, role, operation, place, data, size - before,
        by_card=True, is_datagram=kind == DATAGRAM, posted=flags & (INSIDE | REPORTED | RUNG), address=more[5],
    )  # fmt: skip
