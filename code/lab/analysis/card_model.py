"""The modelled card's throughput in closed form: what one queue pair of RDMA WRITE reaches with a full window."""

from __future__ import annotations

from dataclasses import dataclass

BLOCK = 64  # bytes of a request that the card takes at once
HEAD = 36  # bytes of an inline request before its data: control 16, address 16, length 4
RETH = 16  # InfiniBand Architecture 1.4, 9.3.1: address, key and length, in a WRITE's first packet only
PS_PER_S = 10**12


@dataclass(frozen=True)
class Rates:
    """What bounds the rate: the wire, the bus and the card's own work; a latency does not, where the window is full."""

    rate_bit_s: float
    header_bytes: float
    gap_ps: float
    block_ps: float
    bus_bit_s: float = 0.0

    def message_ps(self, size: int, mtu: int, inline_most: int) -> float:
        """The time of each message: that of the slowest of the three, since they work at once."""
        wire = size + -(-size // mtu) * self.header_bytes + RETH
        blocks = -(-(HEAD + size) // BLOCK) if size <= inline_most else 0
        bus = size * 8 * PS_PER_S / self.bus_bit_s if self.bus_bit_s and not blocks else 0.0
        return max(wire * 8 * PS_PER_S / self.rate_bit_s, self.gap_ps, blocks * self.block_ps, bus)

    def bytes_per_s(self, size: int, mtu: int = 4096, inline_most: int = 0) -> float:
        """Payload in each second."""
        return size * PS_PER_S / self.message_ps(size, mtu, inline_most)
