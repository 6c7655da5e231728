"""The frames of a trial as a file for Wireshark: the link's log, with packets of a modelled card as RoCE v2."""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from lab.grade.witness import packets
from lab.grade.witness.packets import ETHERNET_BYTES, GRH_BYTES, HEADER, IPV4, NUMBERS, PORT, TYPE, UDP, port_between
from lab.machine.results import BLOCK, FRAME, HEAD, VALUES, blocks

FIRST, LAST, WANTS_EVENT, WANTS_ACK, MARKED = 1, 2, 4, 8, 128  # flags of a card's packet: code/card/device/packet.h
WRITE_IMM, SEND, SEND_IMM, CAS = 1, 2, 3, 5  # its opcodes: code/card/device/verbs.h
# Opcodes of RoCE by the two lowest flags: middle, first, last, only. Immediate data make the last two one higher.
WRITES, SENDS, ANSWERS = (0x07, 0x06, 0x08, 0x0A), (0x01, 0x00, 0x02, 0x04), (0x0E, 0x0D, 0x0F, 0x10)
READ_REQUEST, ACKNOWLEDGE, ATOMIC_RESULT, COMPARE_SWAP, FETCH_ADD, DATAGRAM = 0x0C, 0x11, 0x12, 0x13, 0x14, 0x64
NOTIFICATION, BACKWARD, RESERVED = 0x81, 0x40000000, 16  # of congestion: InfiniBand's specification, A17.9.3
EXPERIENCED = 3  # congestion, in an IP header: RFC 3168
# Syndromes of an acknowledgement by the card's `ack`: accepted, not ready, out of order, invalid, denied, failed.
SYNDROMES = (0x1F, 0x20, 0x60, 0x61, 0x62, 0x63)
BTH, RETH, AETH = struct.Struct(">BBHII"), struct.Struct(">QII"), struct.Struct(">I")
IP, UDP_HEADER = struct.Struct(">BBHHHBBH4s4s"), struct.Struct(">HHHH")
MIGRATED, EVERY_PARTITION, NO_FRAGMENTS, HOPS = 0x40, 0xFFFF, 0x4000, 64
ADDRESS = bytes((10, 0, 0))  # of the link, as in lab.machine.results; the last byte is that of the frame's MAC address


def write(log: Path, file: Path) -> int:
    """Write all frames of a log with their times, directions and fates; return how many there are."""
    count = 0
    with file.open("wb") as out:
        for kind, block in blocks(log):
            out.write(_as_roce(block) if kind == FRAME else block)
            count += kind == FRAME
    return count


def _as_roce(block: bytes) -> bytes:
    interface, high, low, kept_bytes, size = VALUES.unpack_from(block, BLOCK.size)
    head = block[HEAD : HEAD + kept_bytes]
    if head[12:ETHERNET_BYTES] != TYPE.to_bytes(2) or kept_bytes < ETHERNET_BYTES + HEADER.size:
        return block
    frame, size = roce_frame(head)
    options = block[HEAD + (kept_bytes + 3) // 4 * 4 : -4]
    body = VALUES.pack(interface, high, low, len(frame), size) + frame + bytes(-len(frame) % 4) + options
    length = BLOCK.size + len(body) + 4
    return BLOCK.pack(FRAME, length) + body + struct.pack("<I", length)


def roce_frame(head: bytes) -> tuple[bytes, int]:
    """The frame of a card's packet as the log has it, and its whole size."""
    kind, flags, opcode, _, origin, queue, number, payload_bytes, *_ = HEADER.unpack_from(head, ETHERNET_BYTES)
    before = GRH_BYTES if kind == packets.DATAGRAM else 0  # a routing header for the receiver's memory alone
    data = head[ETHERNET_BYTES + HEADER.size + before :] if kind != packets.RESULT else b""
    data_bytes = max(payload_bytes - before, 0) if kind != packets.RESULT else 0
    padding = -data_bytes % 4
    extended = b"".join(_extended(head))
    transport = BTH.pack(
        _opcode(kind, flags, opcode),
        (0x80 if flags & WANTS_EVENT else 0) | MIGRATED | padding << 4,
        EVERY_PARTITION,
        (BACKWARD if kind == packets.CONGESTION else 0) | queue % NUMBERS,
        (0x80000000 if flags & WANTS_ACK else 0) | number % NUMBERS,
    )
    udp_bytes = UDP_HEADER.size + BTH.size + len(extended) + data_bytes + padding + packets.ICRC_BYTES
    ip = (0x45, EXPERIENCED if flags & MARKED else 0, IP.size + udp_bytes, 0, NO_FRAGMENTS, HOPS, UDP)
    addresses = (ADDRESS + head[11:12], ADDRESS + head[5:6])
    packet = IP.pack(*ip, _checksum(IP.pack(*ip, 0, *addresses)), *addresses)
    packet += UDP_HEADER.pack(port_between(origin, queue), PORT, udp_bytes, 0) + transport + extended + data
    if len(data) == data_bytes:
        packet += bytes(padding)
        packet += invariant_crc(packet)
    return head[:12] + IPV4.to_bytes(2) + packet, ETHERNET_BYTES + IP.size + udp_bytes


def invariant_crc(packet: bytes) -> bytes:
    """The CRC at the end of a RoCE packet over IPv4, which counts all that routers change as ones (InfiniBand's
    specification, release 1.4, A17.3.3)."""
    changed = bytearray(packet)
    for start, end in ((1, 2), (8, 9), (10, 12), (26, 28), (32, 33)):  # class, hops, two checksums, BTH's reserved byte
        changed[start:end] = b"\xff" * (end - start)
    return zlib.crc32(b"\xff" * 8 + changed).to_bytes(packets.ICRC_BYTES, "little")


def _opcode(kind: int, flags: int, opcode: int) -> int:
    if kind == packets.MESSAGE:
        has_data = flags & LAST and opcode in (WRITE_IMM, SEND_IMM)
        return (WRITES if opcode < SEND else SENDS)[flags & (FIRST | LAST)] + bool(has_data)
    if kind == packets.DATAGRAM:
        return DATAGRAM + (opcode == SEND_IMM)
    if kind == packets.ATOMIC:
        return COMPARE_SWAP if opcode == CAS else FETCH_ADD
    if kind == packets.CARD_ANSWER:
        return ANSWERS[flags & (FIRST | LAST)]
    answers = {packets.RESULT: ATOMIC_RESULT, packets.CONGESTION: NOTIFICATION}
    return READ_REQUEST if kind == packets.CARD_ASK else answers.get(kind, ACKNOWLEDGE)


def _extended(head: bytes) -> Iterator[bytes]:
    """The extended transport headers of a card's packet."""
    fields = HEADER.unpack_from(head, ETHERNET_BYTES)
    kind, flags, opcode, ack, origin, _, _, _, imm, rkey, qkey, rnr_timer, length, remote, compare_add, swap = fields
    if kind == packets.DATAGRAM:
        yield struct.pack(">II", qkey, origin)
    if kind == packets.CARD_ASK or (kind == packets.MESSAGE and opcode < SEND and flags & FIRST):
        yield RETH.pack(remote, rkey, length)
    if kind == packets.ATOMIC:
        add = opcode != CAS
        yield struct.pack(">QIQQ", remote, rkey, compare_add if add else swap, 0 if add else compare_add)
    if kind in (packets.RESULT, packets.ACK) or (kind == packets.CARD_ANSWER and flags & (FIRST | LAST)):
        refusal = ack if kind == packets.ACK and ack < len(SYNDROMES) else 0
        yield AETH.pack((SYNDROMES[refusal] | (rnr_timer & 31 if refusal == 1 else 0)) << 24)
    if kind == packets.RESULT:
        yield struct.pack(">Q", compare_add)
    if kind == packets.CONGESTION:
        yield bytes(RESERVED)
    if kind in (packets.MESSAGE, packets.DATAGRAM) and opcode in (WRITE_IMM, SEND_IMM) and flags & LAST:
        yield imm.to_bytes(4, "little")  # as it is in the work request


def _checksum(header: bytes) -> int:
    total = sum(int.from_bytes(header[at : at + 2]) for at in range(0, len(header), 2))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF
