"""A modelled RDMA card: what each part of a message's way costs, in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Card:
    """The parameters of one card, and of the wire between two of them; times are of the link's own clock."""

    name: str
    rate_bit_s: int  # of the wire
    wire_ns: int  # one way
    header_bytes: int  # of each packet beside its payload
    bus_bit_s: int  # payload between memory and card; 0: no limit
    doorbell_ps: int  # a store of the processor's until the card has it
    fetch_ps: int  # the card reads memory: there and back
    write_ps: int  # the card's write until memory has it
    gap_ps: int  # the card's work for each message
    block_ps: int  # the same for each 64 bytes of a request that carries its data
    ack_ps: int  # from a message's last byte to its acknowledgement
    irq_ps: int  # from a completion to the processor's interrupt

    @property
    def kernel_ns(self) -> int:
        """One way for a frame of the kernel's: the card is rung for it, fetches it, writes it, and interrupts."""
        return self.wire_ns + (self.doorbell_ps + self.fetch_ps + self.write_ps + self.irq_ps) // PS_PER_NS

    @property
    def words(self) -> dict[str, int]:
        """What the devices in the machines are told; the wire itself is told rate and propagation."""
        return {f"card_{name}": value for name, value in vars(self).items() if name not in WIRES}


PS_PER_NS = 1000
WIRES = ("name", "rate_bit_s", "wire_ns")
PARAMETERS = tuple(each.name for each in fields(Card) if each.name != "name")
