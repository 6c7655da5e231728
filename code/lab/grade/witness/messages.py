"""Messages, put together from the packets of a log."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, islice, pairwise
from typing import Protocol

from lab.grade.witness.packets import (
    ACKNOWLEDGE,
    ANSWER,
    ASK,
    FIRST,
    MIDDLE,
    NUMBERS,
    ONLY,
    PART,
    Flow,
    Packet,
    Segment,
    port_between,
)

SEQUENCE_NUMBERS = 1 << 32
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
        new = (end - self.next) % SEQUENCE_NUMBERS
        if not 0 < new < SEQUENCE_NUMBERS // 2:
            return None
        self.next = end % SEQUENCE_NUMBERS
        piece = Piece(segment.goes_out, segment.time_ns, min(new, segment.payload_bytes), segment.time_ns)
        self.unacknowledged.append((self.next, piece))
        return piece

    def acknowledge(self, segment: Segment) -> None:
        """The other end's word of what has arrived."""
        while (
            self.unacknowledged
            and (segment.acknowledged - self.unacknowledged[0][0]) % SEQUENCE_NUMBERS < SEQUENCE_NUMBERS // 2
        ):
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
            self.streams[own] = Stream((segment.sequence + 1) % SEQUENCE_NUMBERS)
            if segment.goes_out and segment.ports[1] in self.ports:
                self.now = max(self.now, self.ports.index(segment.ports[1]))
        elif own in self.streams:
            if piece := self.streams[own].take(segment):
                self.pieces[self.now].append(piece)
            if not segment.goes_out and other in self.streams:
                self.streams[other].acknowledge(segment)


SAME_PORT_MOST = 64  # queue pairs: a program that has more there invents them
Way = tuple[bool, bool, Flow]  # whether it leads away from the client, whether it has answers


class Carried(Protocol):
    """Bytes that crossed the link together."""

    size_bytes: int
    start_ns: int
    end_ns: int


@dataclass(slots=True)
class Message:
    """One message, as the client's end of the link saw it. Of a read the client is the one that asked."""

    operation: str
    goes_out: bool  # from the client, or asked for by it
    start_ns: int  # its first packet, or the request for it
    head: bytes  # the first bytes of its data, as far as they were logged
    size_bytes: int = 0
    end_ns: int = 0  # its last packet, or the word that this has arrived


@dataclass(slots=True)
class Unanswered:
    """What one of the client's queue pairs waits for."""

    asked: deque[tuple[int, int]] = field(default_factory=deque)  # number of the first packet wanted, and when
    unacknowledged: deque[tuple[int, Message]] = field(default_factory=deque)


def way_of(packet: Packet) -> Way:
    """The way of all packets whose numbers follow each other."""
    return packet.goes_out, packet.role == ANSWER, packet.flow


def is_up_to(number: int, other: int) -> bool:
    """Whether a packet's number is another one, or before it."""
    return (other - number) % NUMBERS < NUMBERS // 2


@dataclass
class Assembly:
    """Puts messages together, in the order in which their last packets were seen. What is sent again counts once."""

    messages: list[Message] = field(default_factory=list)
    parts: dict[Way, Message] = field(default_factory=dict)
    latest: dict[Way, int] = field(default_factory=dict)
    waiting: dict[int, dict[int, Unanswered]] = field(default_factory=lambda: defaultdict(dict))  # by flow

    def take(self, packet: Packet) -> None:
        """One packet more."""
        if packet.role == PART:
            if self._is_new(packet):
                self._add(packet)
        elif packet.role == ASK:
            if packet.goes_out and self._is_new(packet):
                self._waits(packet).asked.append((packet.number, packet.time_ns))
        elif not packet.goes_out and packet.role == ANSWER:
            self._answer(packet)
        elif not packet.goes_out and packet.role == ACKNOWLEDGE:
            self._acknowledge(packet)

    def _add(self, packet: Packet) -> None:
        way = way_of(packet)
        if packet.place in (FIRST, ONLY) or way not in self.parts:
            self.parts[way] = Message(packet.operation, packet.goes_out, packet.time_ns, packet.data)
        message = self._grown(packet)
        if packet.place not in (FIRST, MIDDLE):
            self.messages.append(self.parts.pop(way))
            if packet.goes_out:
                self._waits(packet).unacknowledged.append((packet.number, message))

    def _answer(self, packet: Packet) -> None:
        """A part of what the client reads. What comes behind a lost part it asks for again, from there on."""
        way, asked = way_of(packet), self._waited(packet).asked
        wanted = (self.latest[way] + 1) % NUMBERS if way in self.parts else asked[0][0] if asked else packet.number
        if packet.number != wanted or not self._is_new(packet):
            return
        if way not in self.parts:
            start_ns = asked[0][1] if asked else packet.time_ns
            self.parts[way] = Message(packet.operation, goes_out=True, start_ns=start_ns, head=packet.data)
        self._grown(packet)
        if packet.place not in (FIRST, MIDDLE):
            self.messages.append(self.parts.pop(way))
            while asked and is_up_to(asked[0][0], packet.number):
                asked.popleft()

    def _grown(self, packet: Packet) -> Message:
        """The message that it is a part of, with that part."""
        message = self.parts[way_of(packet)]
        message.operation, message.end_ns = packet.operation, packet.time_ns
        message.size_bytes += packet.data_bytes
        return message

    def _is_new(self, packet: Packet) -> bool:
        way = way_of(packet)
        if way in self.latest and is_up_to(packet.number, self.latest[way]):
            return False
        self.latest[way] = packet.number
        return True

    def _acknowledge(self, packet: Packet) -> None:
        """The other end's word of what has arrived."""
        waiting = self._waited(packet).unacknowledged
        while waiting and is_up_to(waiting[0][0], packet.number):
            waiting.popleft()[1].end_ns = packet.time_ns

    def _waits(self, packet: Packet) -> Unanswered:
        """The client's queue pair that sends a packet: it names the one at the other end."""
        return self.waiting[packet.origin].setdefault(packet.queue, Unanswered())

    def _waited(self, packet: Packet) -> Unanswered:
        """The client's queue pair that a packet goes to. RoCE's names this one, and not the one at the other end; a
        card's names both."""
        if packet.by_card:
            return self.waiting[packet.queue].get(packet.origin, Unanswered())
        of_port = islice(self.waiting[packet.origin].items(), SAME_PORT_MOST)
        found = (waiting for there, waiting in of_port if port_between(packet.queue, there) == packet.origin)
        return next(found, Unanswered())


def in_turn(there: Sequence[Carried], back: Sequence[Carried]) -> list[Carried]:
    """The messages that waited for the answer to the one before: of round trips, no two are under way together.

    What one end sent besides, unanswered, lies before them or behind them."""
    ways = [sorted(each, key=lambda one: one.start_ns) for each in (there, back)]
    more = len(there) - len(back)
    return max(
        (_waited([one[max(0, by) :] for one, by in zip(ways, (more, -more), strict=True)]), _waited(ways)), key=len
    )


def _waited(ways: Sequence[Sequence[Carried]]) -> list[Carried]:
    out, answers = ways
    return [
        *out[:1],
        *(each for each, answer in zip(out[1:], answers, strict=False) if each.start_ns >= answer.start_ns),
    ]


def one_by_one(read: Sequence[Carried]) -> list[Carried]:
    """The reads that were asked for when the one before was there."""
    ordered = sorted(read, key=lambda one: one.start_ns)
    return [*ordered[:1], *(each for before, each in pairwise(ordered) if each.start_ns >= before.end_ns)]
