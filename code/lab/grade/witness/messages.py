"""The messages that packets are parts of: what each is, how long, when it left and when it had arrived."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from itertools import islice

from lab.grade.witness.packets import FIRST, MIDDLE, ONLY, Flow, Packet, Role
from lab.grade.witness.roce import port_between

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
    waiting: dict[int, dict[int, Unanswered]] = field(default_factory=lambda: defaultdict(dict))  # by flow

    def take(self, packet: Packet) -> None:
        """One packet more."""
        match packet.role, packet.goes_out:
            case (Role.PART, _) | (Role.ANSWER, False) if self._is_new(packet):
                self._add(packet)
            case Role.ASK, True if self._is_new(packet):
                self._waits(packet).asked_ns.append(packet.time_ns)
            case Role.ACKNOWLEDGE, False:
                self._acknowledge(packet)

    def _add(self, packet: Packet) -> None:
        is_answer = packet.role is Role.ANSWER
        way, goes_out = (packet.goes_out, is_answer, packet.flow), packet.goes_out or is_answer
        if packet.place in (FIRST, ONLY) or way not in self.parts:
            asked_ns = self._waited(packet).asked_ns if is_answer else None
            start_ns = asked_ns.popleft() if asked_ns else packet.time_ns
            self.parts[way] = Message(packet.operation, goes_out, start_ns, packet.data)
        message = self.parts[way]
        message.operation, message.end_ns = packet.operation, packet.time_ns
        message.size_bytes += packet.data_bytes
        if packet.place not in (FIRST, MIDDLE):
            self.messages.append(self.parts.pop(way))
            if packet.goes_out:
                self._waits(packet).unacknowledged.append((packet.number, message))

    def _is_new(self, packet: Packet) -> bool:
        way = (packet.goes_out, packet.role is Role.ANSWER, packet.flow)
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
        return self.waiting[packet.origin].setdefault(packet.queue, Unanswered())

    def _waited(self, packet: Packet) -> Unanswered:
        """The client's queue pair that a packet goes to. RoCE's names this one, and not the one at the other end; a
        card's names both."""
        if packet.by_card:
            return self.waiting[packet.queue].get(packet.origin, Unanswered())
        of_port = islice(self.waiting[packet.origin].items(), SAME_PORT_MOST)
        found = (waiting for there, waiting in of_port if port_between(packet.queue, there) == packet.origin)
        return next(found, Unanswered())
