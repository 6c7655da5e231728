"""From a frame to the packet or the segment in it."""

from __future__ import annotations

import struct

from lab.grade.witness import card, roce
from lab.grade.witness.packets import Packet, Segment
from lab.machine.frames import Frame

ETHERNET_BYTES, IPV4, IPV6, TCP, UDP = 14, 0x0800, 0x86DD, 6, 17
SYN = 0x02


def decoded(frame: Frame) -> Packet | Segment | None:
    """The packet of a frame; nothing for another kind."""
    try:
        return _decoded(frame)
    except (IndexError, struct.error):  # cut off: no packet that anybody takes
        return None


def _decoded(frame: Frame) -> Packet | Segment | None:
    head, kind = frame.head, int.from_bytes(frame.head[12:14], "big")
    if kind == card.TYPE:
        return card.packet(frame, ETHERNET_BYTES)
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
    return roce.packet(frame, at, end) if protocol == UDP and head[at + 2 : at + 4] == roce.PORT.to_bytes(2) else None


def _segment(frame: Frame, at: int, end: int) -> Segment:
    source, target, sequence, acknowledged, offset, flags = struct.unpack_from(">HHIIBB", frame.head, at)
    ports = (source, target) if frame.goes_out else (target, source)
    payload = end - at - (offset >> 4) * 4
    return Segment(frame.time_ns, frame.goes_out, ports, sequence, acknowledged, bool(flags & SYN), payload)
