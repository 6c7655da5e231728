"""From packets to messages of RDMA and pieces of TCP."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.lab.grade.witness import wire

from lab.grade.witness import packets
from lab.grade.witness.messages import Assembly, Message, Piece, Streams, exchanges
from lab.grade.witness.packets import Packet, Segment, decoded
from lab.machine.results import Frame

LAST_NUMBER, LAST_SEQUENCE = (1 << 24) - 1, (1 << 32) - 10
SYN = [wire.tcp(0, 99, syn=True), wire.tcp(1, 499, out=False, ack=100, syn=True)]


def messages(*frames: Frame) -> list[Message]:
    assembly = Assembly()
    for frame in frames:
        packet = decoded(frame)
        assert isinstance(packet, Packet)
        assembly.take(packet)
    return assembly.messages


def pieces(*frames: Frame, ports: tuple[int, ...] = (18800,)) -> list[list[tuple[int, int, int]]]:
    """Size, start and end of each piece, by pair of programs."""
    streams = Streams(ports)
    for frame in frames:
        segment = decoded(frame)
        assert isinstance(segment, Segment)
        streams.take(segment)
    return [[(piece.size_bytes, piece.start_ns, piece.end_ns) for piece in group] for group in streams.pieces]


def test_message_lasts_from_its_first_packet_to_the_acknowledgement_of_its_last() -> None:
    parts = [(wire.SEND_FIRST, 4096), (wire.SEND_MIDDLE, 4096), (wire.SEND_LAST, 10)]
    sent = [wire.roce(10 + number, opcode, number, size) for number, (opcode, size) in enumerate(parts)]
    (message,) = messages(*sent, wire.roce(50, wire.ACK, 2, out=False))
    assert (message.operation, message.size_bytes, message.start_ns, message.end_ns) == ("send", 8202, 10, 50)


def labelled(time_ns: int, number: int) -> Frame:
    """An acknowledgement from another port than that of the two queue pairs."""
    return wire.roce(time_ns, wire.ACK, number, out=False, queue=5, peer=6)


def test_acknowledgements_from_other_ports_are_for_queue_pairs_that_wait() -> None:
    sent = [roce_between(1, *pair, out=True) for pair in [(20, 21), (30, 31)]]
    assert [message.end_ns for message in messages(*sent, labelled(5, 7), labelled(6, 0), labelled(7, 0))] == [6, 7]


@pytest.mark.parametrize(
    ("frames", "arrived"),
    [
        ([wire.roce(1, wire.WRITE_ONLY, 0, 64)], False),
        ([wire.roce(1, wire.WRITE_ONLY, 0, 64), wire.roce(2, wire.ACK, 0, out=False)], True),
        # The port of the answer is that of a flow label.
        ([wire.roce(1, wire.WRITE_ONLY, 0, 64), labelled(2, 0)], True),
        ([wire.roce(1, packets.UNRELIABLE + wire.WRITE_ONLY, 0, 64), labelled(2, 0)], False),
        ([wire.roce(1, packets.UNRELIABLE + wire.WRITE_ONLY, 0, 64)], False),
        ([wire.roce(1, packets.DATAGRAMS[0], 0, 64)], True),
        ([wire.by_card(1, packets.MESSAGE, 0, 64)], False),
        ([wire.by_card(1, packets.MESSAGE, 0, 64), wire.by_card(2, packets.ACK, 0, out=False)], True),
        ([wire.by_card(1, packets.DATAGRAM, 0, 64, opcode=2)], True),
    ],
)
def test_message_of_a_connection_arrives_with_its_acknowledgement(frames: list[Frame], arrived: bool) -> None:  # noqa: FBT001
    assert [message.arrived for message in messages(*frames)] == [arrived]


def test_packets_sent_again_count_once_and_numbers_wrap_around() -> None:
    again = [wire.roce(time_ns, wire.WRITE_ONLY, number, 64) for time_ns, number in enumerate((0, 1, 0, 1, 2))]
    assert [message.start_ns for message in messages(*again)] == [0, 1, 4]
    sent = [wire.roce(1, wire.WRITE_ONLY, LAST_NUMBER, 64), wire.roce(2, wire.WRITE_ONLY, 0, 64)]
    assert [message.end_ns for message in messages(*sent, wire.roce(9, wire.ACK, 0, out=False))] == [9, 9]


def test_read_lasts_from_its_request_to_the_last_packet_of_the_answer() -> None:
    (message,) = messages(wire.roce(3, wire.READ_REQUEST, 0), wire.roce(8, wire.READ_ONLY, 0, 100, out=False))
    assert (message.operation, message.size_bytes, message.start_ns, message.end_ns) == ("read", 100, 3, 8)
    parts = [(wire.BEGINS, 4096), (wire.MIDST, 4096), (wire.ENDS, 9)]
    answers = [
        wire.by_card(6 + number, packets.CARD_ANSWER, number, size, flags=flags, out=False)
        for number, (flags, size) in enumerate(parts)
    ]
    (message,) = messages(wire.by_card(3, packets.CARD_ASK, opcode=4), *answers)
    assert (message.operation, message.size_bytes, message.start_ns, message.end_ns) == ("read", 8201, 3, 8)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        (wire.roce(3, wire.FETCH_ADD), wire.roce(8, wire.ATOMIC_RESULT, 0, 8, out=False)),
        (wire.by_card(3, packets.ATOMIC, opcode=6), wire.by_card(8, packets.RESULT, 0, 8, flags=wire.MIDST, out=False)),
    ],
)
def test_atomic_is_a_read_of_8_bytes(asked: Frame, answered: Frame) -> None:
    (message,) = messages(asked, answered)
    assert (message.operation, message.size_bytes, message.start_ns, message.end_ns) == ("read", 8, 3, 8)


def test_reads_of_several_queue_pairs_may_be_answered_in_any_order() -> None:
    requests = [wire.roce(time_ns, wire.READ_REQUEST, 0, queue=20 + time_ns, peer=30 + time_ns) for time_ns in (1, 2)]
    answers = [wire.roce(9, wire.READ_ONLY, 0, 8, out=False, queue=30 + way, peer=20 + way) for way in (2, 1)]
    assert [message.start_ns for message in messages(*requests, *answers)] == [2, 1]


def roce_between(time_ns: int, here: int, there: int, *, out: bool) -> Frame:
    if out:
        return wire.roce(time_ns, wire.WRITE_ONLY, 0, 64, queue=there, peer=here)
    return wire.roce(time_ns, wire.ACK, 0, out=False, queue=here, peer=there)


def card_between(time_ns: int, here: int, there: int, *, out: bool) -> Frame:
    if out:
        return wire.by_card(time_ns, packets.MESSAGE, 0, 64, here=here, there=there)
    return wire.by_card(time_ns, packets.ACK, 0, out=False, here=here, there=there)


@pytest.mark.parametrize("frame", [roce_between, card_between])
def test_each_queue_pair_has_separate_acknowledgements(frame: Callable[..., Any]) -> None:
    """Their packets have equal numbers and ports; RoCE's acknowledgement names the client's queue pair alone."""
    pairs = [(20, 21), (21, 20)]
    sent = [frame(1, *pair, out=True) for pair in pairs]
    acknowledged = [frame(time_ns, *pair, out=False) for time_ns, pair in zip((5, 9), pairs, strict=True)]
    assert [message.end_ns for message in messages(*sent, *acknowledged)] == [5, 9]
    assert [message.end_ns for message in messages(*sent, acknowledged[0])] == [5, 1]


def test_refused_packet_of_a_card_acknowledges_all_before() -> None:
    sent = [wire.by_card(time_ns, packets.MESSAGE, time_ns, 64) for time_ns in (1, 2)]
    refused = wire.by_card(7, packets.ACK, 2, ack=1, out=False)
    assert [message.end_ns for message in messages(*sent, refused)] == [7, 2]


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_lost_part_of_a_read_is_requested_again_and_counts_once(lost: int) -> None:
    parts = [(wire.BEGINS, 4096), (wire.MIDST, 4096), (wire.ENDS, 9), (wire.WHOLE, 7)]
    again = [(flags if place else flags | wire.BEGINS, size) for place, (flags, size) in enumerate(parts[lost:])]
    came = [(number, *part) for number, part in enumerate(parts) if number != lost]
    came += [(lost + place, *part) for place, part in enumerate(again)]
    answers = [
        wire.by_card(10 + place, packets.CARD_ANSWER, number, size, flags=flags, out=False)
        for place, (number, flags, size) in enumerate(came)
    ]
    requests = [wire.by_card(time_ns, packets.CARD_ASK, number, opcode=4) for time_ns, number in ((1, 0), (2, 3))]
    repeated = wire.by_card(5, packets.CARD_ASK, lost, opcode=4)
    first, second = messages(*requests, *answers[:3], repeated, *answers[3:])
    assert (first.size_bytes, first.start_ns, first.end_ns) == (8201, 1, answers[-2].time_ns)
    assert (second.size_bytes, second.start_ns, second.end_ns) == (7, 2, answers[-1].time_ns)


def test_tcp_bytes_last_until_their_acknowledgement_count_once_and_wrap_around() -> None:
    sent = [wire.tcp(10, 100, 50), wire.tcp(11, 150, 50), wire.tcp(20, 100, 100)]
    assert pieces(*SYN, *sent, wire.tcp(30, 500, out=False, ack=200)) == [[(50, 10, 30), (50, 11, 30)]]
    frames = (wire.tcp(0, LAST_SEQUENCE - 1, syn=True), wire.tcp(1, LAST_SEQUENCE, 20), wire.tcp(2, 10, 5))
    assert [piece[0] for piece in pieces(*frames)[0]] == [20, 5]


def test_each_pair_of_programs_has_separate_pieces() -> None:
    first = [*SYN, wire.tcp(5, 100, 10)]
    second = [wire.tcp(6, 99, syn=True, port=18801), wire.tcp(7, 100, 30, port=18801)]
    assert pieces(*first, *second, ports=(18800, 18801)) == [[(10, 5, 5)], [(30, 7, 7)]]


def test_exchange_is_a_message_with_its_whole_answer_and_no_later_words() -> None:
    steps = [(True, 5, 100), (False, 8, 60), (False, 9, 40), (False, 40, 2), (True, 50, 100), (False, 51, 7)]
    (exchange,) = exchanges([Piece(out, time_ns, size, time_ns) for out, time_ns, size in steps], 100)
    assert (exchange.start_ns, exchange.end_ns, exchange.size_bytes) == (5, 9, 100)
