"""The messages that packets are parts of: what each is, how long, when it left and when it had arrived."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Protocol

from lab.grade.witness.packets import ACKNOWLEDGE, ANSWER, ASK, FIRST, MIDDLE, NUMBERS, ONLY, PART, Flow, Packet
from lab.grade.witness.roce import port_between

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
