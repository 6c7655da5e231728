"""Messages of RDMA and pieces of TCP, assembled from the packets of a log."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, islice, pairwise
from operator import attrgetter
from typing import Protocol

from lab.grade.witness import packets
from lab.grade.witness.packets import NUMBERS, Channel, Packet, Segment, port_between

SEQUENCE_NUMBERS = 1 << 32
MORE_BYTES = 512  # besides a message: other data between client and server
SAME_PORT_MOST = 64  # queue pairs with one port: a program that has more there invents them


class Carried(Protocol):
    size_bytes: int
    start_ns: int
    end_ns: int


def sum_bytes(carried: Iterable[Carried]) -> int:
    return sum(each.size_bytes for each in carried)


@dataclass(slots=True)
class Message:
    """One message of RDMA, as the client's end of the link saw it."""

    operation: str
    goes_out: bool  # from the client, or read by it
    start_ns: int  # its first packet, or the request to read it
    head: bytes  # the first bytes of its data, as far as the log has them
    size_bytes: int = 0
    end_ns: int = 0  # its last packet, or the acknowledgement of that
    posted: int = 0  # over a card: packets.INSIDE, REPORTED and RUNG
    address: int = 0  # over a card: where a WRITE goes
    arrived: bool = True  # acknowledged; read data, datagrams and messages of the server always count


@dataclass(slots=True)
class Piece:
    """New bytes of a TCP segment, as the client's end of the link saw them."""

    goes_out: bool
    start_ns: int
    size_bytes: int
    end_ns: int  # their arrival or acknowledgement


@dataclass(slots=True)
class Unanswered:
    """The requests and messages that one of the client's queue pairs waits for."""

    requests: deque[tuple[int, int]] = field(default_factory=deque)  # of reads: number of the first packet, and when
    unacknowledged: deque[tuple[int, Message]] = field(default_factory=deque)

    def expects(self, number: int) -> bool:
        """Whether a packet of this number may be an answer."""
        sent = self.unacknowledged
        is_acknowledged = sent and _is_up_to(sent[0][0], number) and _is_up_to(number, sent[-1][0])
        return bool(is_acknowledged or (self.requests and _is_up_to(self.requests[0][0], number)))


@dataclass
class Assembly:
    """Assembles messages, in the order of their last packets. Packets sent again count once."""

    messages: list[Message] = field(default_factory=list)
    parts: dict[Channel, Message] = field(default_factory=dict)
    latest: dict[Channel, int] = field(default_factory=dict)
    waiting: dict[int, dict[int, Unanswered]] = field(default_factory=lambda: defaultdict(dict))  # by origin and queue

    def take(self, packet: Packet) -> None:
        match packet.role, packet.goes_out:
            case packets.PART, _:
                self._add_part(packet)
            case packets.ASK, True:
                if self._is_new(packet):
                    self._sender(packet).requests.append((packet.number, packet.time_ns))
            case packets.ANSWER, False:
                self._add_answer(packet)
            case packets.ACKNOWLEDGE, False:
                unacknowledged = self._receiver(packet).unacknowledged
                while unacknowledged and _is_up_to(unacknowledged[0][0], packet.number):
                    message = unacknowledged.popleft()[1]
                    message.end_ns, message.arrived = packet.time_ns, True

    def _add_part(self, packet: Packet) -> None:
        if not self._is_new(packet):
            return
        if packet.place in (packets.FIRST, packets.ONLY) or packet.channel not in self.parts:
            begun = Message(packet.operation, packet.goes_out, packet.time_ns, packet.data)
            begun.posted, begun.address = packet.posted, packet.address
            self.parts[packet.channel] = begun
        message = self._grown(packet)
        if packet.is_last and packet.goes_out and not packet.is_datagram:
            message.arrived = False
            if packet.is_reliable:
                self._sender(packet).unacknowledged.append((packet.number, message))

    def _add_answer(self, packet: Packet) -> None:
        """Add a part of the data that the client reads. The client requests again from a lost part on."""
        channel, requests = packet.channel, self._receiver(packet).requests
        begins = channel not in self.parts
        first, start_ns = requests[0] if requests else (packet.number, packet.time_ns)
        expected = first if begins else (self.latest[channel] + 1) % NUMBERS
        if packet.number != expected or not self._is_new(packet):
            return
        if begins:
            self.parts[channel] = Message(packet.operation, goes_out=True, start_ns=start_ns, head=packet.data)
        self._grown(packet)
        while packet.is_last and requests and _is_up_to(requests[0][0], packet.number):
            requests.popleft()

    def _grown(self, packet: Packet) -> Message:
        """The packet's message with the packet's data; it is complete with its last packet."""
        message = self.parts[packet.channel]
        message.operation, message.end_ns = packet.operation, packet.time_ns
        message.size_bytes += packet.data_bytes
        if packet.is_last:
            self.messages.append(self.parts.pop(packet.channel))
        return message

    def _is_new(self, packet: Packet) -> bool:
        if packet.channel in self.latest and _is_up_to(packet.number, self.latest[packet.channel]):
            return False
        self.latest[packet.channel] = packet.number
        return True

    def _sender(self, packet: Packet) -> Unanswered:
        """The client's queue pair that sends a packet: the packet names the queue pair at the server."""
        return self.waiting[packet.origin].setdefault(packet.queue, Unanswered())

    def _receiver(self, packet: Packet) -> Unanswered:
        """The client's queue pair that receives a packet. A card's packet also names the queue pair at the server;
        RoCE's does not."""
        if packet.by_card:
            return self.waiting[packet.queue].get(packet.origin, Unanswered())
        of_port = islice(self.waiting[packet.origin].items(), SAME_PORT_MOST)
        for there, waiting in of_port:
            if port_between(packet.queue, there) == packet.origin:
                return waiting
        # The flow label of a program determines its port: then the packet answers the first queue that waits for it.
        queues = islice((waiting for of_port in self.waiting.values() for waiting in of_port.values()), SAME_PORT_MOST)
        return next((waiting for waiting in queues if waiting.expects(packet.number)), Unanswered())


def _is_up_to(number: int, latest: int) -> bool:
    """Whether a packet's number is the latest, or before it."""
    return (latest - number) % NUMBERS < NUMBERS // 2


def in_turn(there: Sequence[Carried], back: Sequence[Carried]) -> list[Carried]:
    """The messages that waited for the answer to the one before: of round trips, no two are in flight together.

    Unanswered messages of one end come before the others or after them."""
    out, answers = (sorted(messages, key=lambda message: message.start_ns) for messages in (there, back))
    more = len(there) - len(back)
    shifted = _waited(out[max(0, more) :], answers[max(0, -more) :])
    return max(shifted, _waited(out, answers), key=len)


def _waited(out: Sequence[Carried], answers: Sequence[Carried]) -> list[Carried]:
    pairs = zip(out[1:], answers, strict=False)
    return [*out[:1], *(message for message, answer in pairs if message.start_ns >= answer.start_ns)]


def one_by_one(reads: Sequence[Carried]) -> list[Carried]:
    """The reads that were requested after the read before had ended."""
    ordered = sorted(reads, key=lambda read: read.start_ns)
    return [*ordered[:1], *(read for before, read in pairwise(ordered) if read.start_ns >= before.end_ns)]


@dataclass
class Stream:
    next: int
    unacknowledged: deque[tuple[int, Piece]] = field(default_factory=deque)

    def take(self, segment: Segment) -> Piece | None:
        """The new bytes of a segment, if it has any: bytes sent again count once."""
        end = segment.sequence + segment.payload_bytes
        new = (end - self.next) % SEQUENCE_NUMBERS
        if not 0 < new < SEQUENCE_NUMBERS // 2:
            return None
        self.next = end % SEQUENCE_NUMBERS
        piece = Piece(segment.goes_out, segment.time_ns, min(new, segment.payload_bytes), segment.time_ns)
        self.unacknowledged.append((self.next, piece))
        return piece

    def acknowledge(self, segment: Segment) -> None:
        """End the pieces that a segment of the other direction acknowledges."""
        pieces, half = self.unacknowledged, SEQUENCE_NUMBERS // 2
        while pieces and (segment.acknowledged - pieces[0][0]) % SEQUENCE_NUMBERS < half:
            pieces.popleft()[1].end_ns = segment.time_ns


class Streams:
    """All connections, and their pieces by the running pair of programs, which begins with the first connection to its
    server's port."""

    def __init__(self, ports: tuple[int, ...]) -> None:
        self.ports, self.running = ports, 0  # the pair
        self.pieces = [list[Piece]() for _ in ports]
        self.streams: dict[tuple[bool, tuple[int, int]], Stream] = {}

    def take(self, segment: Segment) -> None:
        key, opposite = ((goes_out, segment.ports) for goes_out in (segment.goes_out, not segment.goes_out))
        if segment.begins:
            self.streams[key] = Stream((segment.sequence + 1) % SEQUENCE_NUMBERS)
            if segment.goes_out and segment.ports[1] in self.ports:
                self.running = max(self.running, self.ports.index(segment.ports[1]))
        elif key in self.streams:
            if piece := self.streams[key].take(segment):
                self.pieces[self.running].append(piece)
            if not segment.goes_out and opposite in self.streams:
                self.streams[opposite].acknowledge(segment)


def exchanges(pieces: Sequence[Piece], size_bytes: int) -> list[Piece]:
    """The messages with their answers, where both are about as long as a message."""
    runs = [(goes_out, list(group)) for goes_out, group in groupby(pieces, lambda piece: piece.goes_out)]
    return [
        replace(sent[0], size_bytes=size_bytes, end_ns=_whole_ns(answer, size_bytes))
        for (goes_out, sent), (_, answer) in pairwise(runs)
        if goes_out and all(0 <= sum(p.size_bytes for p in run) - size_bytes < MORE_BYTES for run in (sent, answer))
    ]


def _whole_ns(pieces: Sequence[Piece], size_bytes: int) -> int:
    counted = zip(pieces, accumulate(piece.size_bytes for piece in pieces), strict=True)
    return next(piece.end_ns for piece, so_far in counted if so_far >= size_bytes)


def shortest_ns(
    carried: Sequence[Carried], least_bytes: int, until: Callable[[Carried], int] = attrgetter("end_ns")
) -> int:
    """The shortest time from the start of a message to the arrival of another one (or until another moment of it) in
    which so many bytes were carried one after the other; 0 if there were not so many."""
    times, first, held = list[int](), 0, 0
    for last in carried:
        held += last.size_bytes
        while held - carried[first].size_bytes >= least_bytes:
            held -= carried[first].size_bytes
            first += 1
        if held >= least_bytes:
            times.append(until(last) - carried[first].start_ns)
    return min(times, default=0)
