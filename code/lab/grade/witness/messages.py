"""The messages that RoCE's packets are parts of: what each is, how long, when it left and when it had arrived."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from itertools import islice

from lab.grade.witness.packets import (
    ACKNOWLEDGE,
    ANSWERS,
    FIRST,
    MIDDLE,
    ONLY,
    READ,
    READ_REQUEST,
    REQUESTS,
    Flow,
    Packet,
    port_between,
)

NUMBERS = 1 << 24  # of packets, before they begin again
SAME_PORT_MOST = 64  # queue pairs: a program that has more there invents them
Way = tuple[bool, bool, Flow]  # whether it leads away from the client, whether it has answers


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

    asked_ns: deque[int] = field(default_factory=deque)
    unacknowledged: deque[tuple[int, Message]] = field(default_factory=deque)


@dataclass
class Assembly:
    """Puts messages together, in the order in which their last packets were seen. What is sent again counts once."""

    messages: list[Message] = field(default_factory=list)
    parts: dict[Way, Message] = field(default_factory=dict)
    latest: dict[Way, int] = field(default_factory=dict)
    waiting: dict[int, dict[int, Unanswered]] = field(default_factory=lambda: defaultdict(dict))  # by port and queue

    def take(self, packet: Packet) -> None:
        """One packet more."""
        if packet.opcode in REQUESTS:
            self._add(packet, *REQUESTS[packet.opcode], is_answer=False)
        elif packet.opcode in ANSWERS and not packet.goes_out:
            self._add(packet, READ, *ANSWERS[packet.opcode], is_answer=True)
        elif packet.opcode == READ_REQUEST and packet.goes_out and self._is_new(packet, is_answer=False):
            self._waits(packet).asked_ns.append(packet.time_ns)
        elif packet.opcode == ACKNOWLEDGE and not packet.goes_out and packet.behind[:1] < b"\x20":
            self._acknowledge(packet)

    def _add(self, packet: Packet, operation: str, place: str, before: int, *, is_answer: bool) -> None:
        if packet.behind_bytes < before or not self._is_new(packet, is_answer=is_answer):
            return
        way, goes_out = (packet.goes_out, is_answer, packet.flow), packet.goes_out or is_answer
        if place in (FIRST, ONLY) or way not in self.parts:
            asked_ns = self._waited(packet).asked_ns if is_answer else None
            start_ns = asked_ns.popleft() if asked_ns else packet.time_ns
            self.parts[way] = Message(operation, goes_out, start_ns, packet.behind[before : packet.behind_bytes])
        message = self.parts[way]
        message.operation, message.end_ns = operation, packet.time_ns
        message.size_bytes += packet.behind_bytes - before
        if place not in (FIRST, MIDDLE):
            self.messages.append(self.parts.pop(way))
            if packet.goes_out:
                self._waits(packet).unacknowledged.append((packet.number, message))

    def _is_new(self, packet: Packet, *, is_answer: bool) -> bool:
        way = (packet.goes_out, is_answer, packet.flow)
        if way in self.latest and not 0 < (packet.number - self.latest[way]) % NUMBERS < NUMBERS // 2:
            return False
        self.latest[way] = packet.number
        return True

    def _acknowledge(self, packet: Packet) -> None:
        """The other end's word of what has arrived."""
        waiting = self._waited(packet).unacknowledged
        while waiting and (packet.number - waiting[0][0]) % NUMBERS < NUMBERS // 2:
            waiting.popleft()[1].end_ns = packet.time_ns

    def _waits(self, packet: Packet) -> Unanswered:
        """The client's queue pair that sends a packet: it names the one at the other end."""
        return self.waiting[packet.port].setdefault(packet.queue, Unanswered())

    def _waited(self, packet: Packet) -> Unanswered:
        """The client's queue pair that a packet goes to: it names this one, and not the one at the other end."""
        of_port = islice(self.waiting[packet.port].items(), SAME_PORT_MOST)
        found = (waiting for there, waiting in of_port if port_between(packet.queue, there) == packet.port)
        return next(found, Unanswered())
