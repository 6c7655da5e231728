"""The part of a link's rate that headers leave: the most that a protocol can carry, by the frame's arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# IEEE 802.3: preamble and start 8, addresses and type 14, check 4, gap 12.
ETHERNET = 38
# RFC 791; InfiniBand Architecture Specification, volume 1, annex A17 (RoCEv2): IP 20, UDP 8, BTH 12, check 4.
ROCE = 44
WRITE = 16  # RETH: address, key and length, in a WRITE's first packet only
# RFC 9293, RFC 7323: IP 20, TCP 20, timestamps 12.
TCP = 52
PATH_MTUS = (4096, 2048, 1024, 512, 256)


@dataclass(frozen=True)
class Limit:
    """The physical limit at each x: the link's rate, or its part without headers."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


def write_limit(sizes: Sequence[float], rate_bit_s: float, mtu: int) -> Limit:
    """RDMA WRITE over IPv4: each message has packets of its own; `mtu` is the link's, in bytes of IP."""
    payload = next(each for each in PATH_MTUS if each + ROCE + WRITE <= mtu)
    wire = [size + -(-size // payload) * (ETHERNET + ROCE) + WRITE for size in sizes]
    y = tuple(rate_bit_s / 8 * size / on_wire for size, on_wire in zip(sizes, wire, strict=True))
    return Limit("after headers, WRITE", tuple(sizes), y)


def card_limit(sizes: Sequence[float], rate_bit_s: float, mtu: int, header: int) -> Limit:
    """RDMA WRITE by a modelled card whose packets have a header of so many bytes."""
    payload = next(each for each in PATH_MTUS if each + ROCE + WRITE <= mtu)
    wire = [size + -(-size // payload) * header + WRITE for size in sizes]
    y = tuple(rate_bit_s / 8 * size / on_wire for size, on_wire in zip(sizes, wire, strict=True))
    return Limit("after headers, WRITE by the card", tuple(sizes), y)


def tcp_limit(sizes: Sequence[float], rate_bit_s: float, mtu: int) -> Limit:
    """TCP over IPv4 with timestamps: a stream, so full segments whatever the message size."""
    best = rate_bit_s / 8 * (mtu - TCP) / (mtu + ETHERNET)
    return Limit("after headers, TCP", tuple(sizes), tuple(best for _ in sizes))
