"""What crosses a link, by whatever header: packets of RDMA, and segments of TCP."""

from __future__ import annotations

from typing import NamedTuple

SEND, WRITE, WRITE_IMM, READ = "send", "write", "write-imm", "read"
ONLY, FIRST, MIDDLE, LAST = "only", "first", "middle", "last"
# What a packet of RDMA is there for: a part of a message; asking for a READ's bytes; those bytes; the word that all
# packets up to a number have arrived.
PART, ASK, ANSWER, ACKNOWLEDGE, OTHER = "part", "ask", "answer", "acknowledge", "other"
NUMBERS = 1 << 24  # of packets, before they begin again
Flow = tuple[int, int]  # where packets come from, and the queue pair that they go to


class Packet(NamedTuple):
    """A packet of RDMA."""

    time_ns: int
    goes_out: bool
    origin: int  # the port of UDP that it comes from; a card names the queue pair itself
    queue: int  # the queue pair that it goes to
    number: int  # of the packet there
    role: str
    operation: str = ""
    place: str = ""  # in its message
    data: bytes = b""  # of its payload, as far as it was logged
    data_bytes: int = 0  # all of its payload
    by_card: bool = False  # a modelled one, and not by Soft-RoCE

    @property
    def flow(self) -> Flow:
        """What is of one queue pair for another."""
        return self.origin, self.queue


class Segment(NamedTuple):
    """A segment of TCP."""

    time_ns: int
    goes_out: bool
    ports: tuple[int, int]  # the client's and the server's
    sequence: int
    acknowledged: int
    begins: bool  # a connection
    payload_bytes: int
