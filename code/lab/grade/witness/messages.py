"""The messages that RoCE's packets are parts of: what each is, how long, when it left and when it had arrived."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from lab.grade.witness.packets import ACKNOWLEDGE, ANSWERS, FIRST, MIDDLE, ONLY, READ, READ_REQUEST, REQUESTS, Packet

NUMBERS = 1 << 24  # of packets, before they begin again
Queue = tuple[bool, bool, int]  # whether it leads away from the client, whether it has answers, its number


@dataclass
class Message:
    """One message, as the client's end of the link saw it. Of a read the client is the one that asked."""

    operation: str
    goes_out: bool  # from the client, or asked for by it
    start_ns: int  # its first packet, or the request for it
    head: bytes  # the first bytes of its data, as far as they were logged
    size_bytes: int = 0
    end_ns: int = 0  # its last packet, or the word that this has arrived


@dataclass
class Assembly:
    """Puts messages together, in the order in which their last packets were seen. What is sent again counts once."""

    messages: list[Message] = field(default_factory=list)
    parts: dict[Queue, Message] = field(default_factory=dict)
    latest: dict[Queue, int] = field(default_factory=dict)
    asked_ns: deque[int] = field(default_factory=deque)
    unacknowledged: dict[int, deque[tuple[int, Message]]] = field(default_factory=dict)

    def take(self, packet: Packet) -> None:
        """One packet more."""
        if packet.opcode in REQUESTS:
            self._add(packet, *REQUESTS[packet.opcode], is_answer=False)
        elif packet.opcode in ANSWERS and not packet.goes_out:
            self._add(packet, READ, *ANSWERS[packet.opcode], is_answer=True)
        elif packet.opcode == READ_REQUEST and packet.goes_out and self._is_new(packet, is_answer=False):
            self.asked_ns.append(packet.time_ns)
        elif packet.opcode == ACKNOWLEDGE and not packet.goes_out and packet.behind[:1] < b"\x20":
            self._acknowledge(packet)

    def _add(self, packet: Packet, operation: str, place: str, before: int, *, is_answer: bool) -> None:
        if packet.behind_bytes < before or not self._is_new(packet, is_answer=is_answer):
            return
        queue, goes_out = (packet.goes_out, is_answer, packet.queue), packet.goes_out or is_answer
        if place in (FIRST, ONLY) or queue not in self.parts:
            start_ns = self.asked_ns.popleft() if is_answer and self.asked_ns else packet.time_ns
            self.parts[queue] = Message(operation, goes_out, start_ns, packet.behind[before : packet.behind_bytes])
        message = self.parts[queue]
        message.operation, message.end_ns = operation, packet.time_ns
        message.size_bytes += packet.behind_bytes - before
        if place not in (FIRST, MIDDLE):
            self.messages.append(self.parts.pop(queue))
            if packet.goes_out:
                self.unacknowledged.setdefault(packet.queue, deque()).append((packet.number, message))

    def _is_new(self, packet: Packet, *, is_answer: bool) -> bool:
        queue = (packet.goes_out, is_answer, packet.queue)
        if queue in self.latest and not 0 < (packet.number - self.latest[queue]) % NUMBERS < NUMBERS // 2:
            return False
        self.latest[queue] = packet.number
        return True

    def _acknowledge(self, packet: Packet) -> None:
        """The word names the client's queue, so that it says which messages have arrived only where there is one."""
        if len(self.unacknowledged) > 1:
            return
        for waiting in self.unacknowledged.values():
            while waiting and (packet.number - waiting[0][0]) % NUMBERS < NUMBERS // 2:
                waiting.popleft()[1].end_ns = packet.time_ns
