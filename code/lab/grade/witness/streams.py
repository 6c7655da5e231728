"""The bytes that TCP carried: how many new ones each segment had, when they left and when they had arrived."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, pairwise

from lab.grade.witness.packets import Segment

NUMBERS = 1 << 32
WORDS_BYTES = 512  # beside a message: what else two ends tell each other


@dataclass(slots=True)
class Piece:
    """New bytes of a segment, as the client's end of the link saw them."""

    goes_out: bool
    start_ns: int
    size_bytes: int
    end_ns: int  # when they came, or the word that they have arrived


@dataclass
class Stream:
    """One direction of a connection."""

    next: int
    unacknowledged: deque[tuple[int, Piece]] = field(default_factory=deque)

    def take(self, segment: Segment) -> Piece | None:
        """The new bytes of a segment, if it has any: what is sent again counts once."""
        end = segment.sequence + segment.payload_bytes
        new = (end - self.next) % NUMBERS
        if not 0 < new < NUMBERS // 2:
            return None
        self.next = end % NUMBERS
        piece = Piece(segment.goes_out, segment.time_ns, min(new, segment.payload_bytes), segment.time_ns)
        self.unacknowledged.append((self.next, piece))
        return piece

    def acknowledge(self, segment: Segment) -> None:
        """The other end's word of what has arrived."""
        while self.unacknowledged and (segment.acknowledged - self.unacknowledged[0][0]) % NUMBERS < NUMBERS // 2:
            self.unacknowledged.popleft()[1].end_ns = segment.time_ns


def exchanges(pieces: Sequence[Piece], size_bytes: int) -> list[Piece]:
    """What was sent before an answer came, with that answer, where both were about as long as a message."""
    ways = [(way, list(each)) for way, each in groupby(pieces, lambda each: each.goes_out)]
    pairs = [(one, other) for (out, one), (_, other) in pairwise(ways) if out]
    return [
        replace(one[0], size_bytes=size_bytes, end_ns=_whole_ns(other, size_bytes))
        for one, other in pairs
        if all(0 <= sum(each.size_bytes for each in way) - size_bytes < WORDS_BYTES for way in (one, other))
    ]


def _whole_ns(pieces: Sequence[Piece], size_bytes: int) -> int:
    """When so many bytes were there."""
    counted = zip(pieces, accumulate(each.size_bytes for each in pieces), strict=True)
    return next(each.end_ns for each, so_far in counted if so_far >= size_bytes)


@dataclass
class Streams:
    """All connections, and their pieces by the pair of programs that ran: each begins with the first connection to its
    server's port."""

    ports: tuple[int, ...]
    pieces: list[list[Piece]] = field(init=False)
    streams: dict[tuple[bool, tuple[int, int]], Stream] = field(default_factory=dict)
    now: int = 0

    def __post_init__(self) -> None:
        self.pieces = [[] for _ in self.ports]

    def take(self, segment: Segment) -> None:
        """One segment more."""
        own, other = ((way, segment.ports) for way in (segment.goes_out, not segment.goes_out))
        if segment.begins:
            self.streams[own] = Stream((segment.sequence + 1) % NUMBERS)
            if segment.goes_out and segment.ports[1] in self.ports:
                self.now = max(self.now, self.ports.index(segment.ports[1]))
        elif own in self.streams:
            if piece := self.streams[own].take(segment):
                self.pieces[self.now].append(piece)
            if not segment.goes_out and other in self.streams:
                self.streams[other].acknowledge(segment)
