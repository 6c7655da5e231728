"""From packets to messages: lab.grade.witness.{messages,packets}."""

from __future__ import annotations

import pytest
from tests.lab.grade.witness import wire

from lab.grade.witness import packets
from lab.grade.witness.messages import Assembly, Message
from lab.grade.witness.packets import Packet, decoded
from lab.machine.results import Frame


def messages(*frames: Frame) -> list[Message]:
    assembly = Assembly()
    for frame in frames:
        packet = decoded(frame)
        assert isinstance(packet, Packet)
        assembly.take(packet)
    return assembly.messages


def test_a_message_of_several_packets_lasts_from_the_first_to_the_word_that_the_last_has_arrived() -> None:
    parts = [(wire.SEND_FIRST, 4096), (wire.SEND_MIDDLE, 4096), (wire.SEND_LAST, 10)]
    sent = [wire.roce(10 + number, opcode, number, size) for number, (opcode, size) in enumerate(parts)]
    (found,) = messages(*sent, wire.roce(50, wire.ACK, 2, out=False))
    assert (found.operation, found.size_bytes, found.start_ns, found.end_ns) == ("send", 8202, 10, 50)


def test_what_is_sent_again_counts_once() -> None:
    again = [wire.roce(time_ns, wire.WRITE_ONLY, number, 64) for time_ns, number in enumerate((0, 1, 0, 1, 2))]
    assert [each.start_ns for each in messages(*again)] == [0, 1, 4]


def test_numbers_of_packets_begin_again() -> None:
    last = (1 << 24) - 1
    sent = [wire.roce(1, wire.WRITE_ONLY, last, 64), wire.roce(2, wire.WRITE_ONLY, 0, 64)]
    found = messages(*sent, wire.roce(9, wire.ACK, 0, out=False))
    assert [each.end_ns for each in found] == [9, 9]


def test_a_read_lasts_from_the_request_to_the_last_of_the_answer() -> None:
    asked = wire.roce(3, wire.READ_REQUEST, 0)
    (found,) = messages(asked, wire.roce(8, wire.READ_ONLY, 0, 100, out=False))
    assert (found.operation, found.size_bytes, found.start_ns, found.end_ns) == ("read", 100, 3, 8)


def test_reads_of_several_queue_pairs_are_answered_in_any_order() -> None:
    asked = [wire.roce(time_ns, wire.READ_REQUEST, 0, queue=20 + time_ns, peer=30 + time_ns) for time_ns in (1, 2)]
    answers = [wire.roce(9, wire.READ_ONLY, 0, 8, out=False, queue=30 + way, peer=20 + way) for way in (2, 1)]
    assert [each.start_ns for each in messages(*asked, *answers)] == [2, 1]


def test_each_queue_pairs_messages_have_arrived_with_its_own_last_word() -> None:
    """Their packets have the same numbers and ports, and a word names the client's queue pair alone."""
    pairs = [(20, 21), (21, 20)]
    sent = [wire.roce(1, wire.WRITE_ONLY, 0, 64, queue=there, peer=here) for here, there in pairs]
    words = [
        wire.roce(time_ns, wire.ACK, 0, out=False, queue=here, peer=there)
        for time_ns, (here, there) in zip((5, 9), pairs, strict=True)
    ]
    assert [each.end_ns for each in messages(*sent, *words)] == [5, 9]
    assert [each.end_ns for each in messages(*sent, words[0])] == [5, 1]


def test_of_a_card_each_queue_pairs_messages_have_arrived_with_its_own_last_word() -> None:
    """Both cards number their queue pairs alike, and a word names both."""
    pairs = [(20, 21), (21, 20)]
    sent = [wire.by_card(1, packets.MESSAGE, 0, 64, here=here, there=there) for here, there in pairs]
    words = [
        wire.by_card(time_ns, packets.ACK, 0, out=False, here=here, there=there)
        for time_ns, (here, there) in zip((5, 9), pairs, strict=True)
    ]
    assert [each.end_ns for each in messages(*sent, *words)] == [5, 9]
    assert [each.end_ns for each in messages(*sent, words[0])] == [5, 1]


def test_a_card_that_does_not_take_a_packet_has_taken_all_before() -> None:
    sent = [wire.by_card(time_ns, packets.MESSAGE, time_ns, 64) for time_ns in (1, 2)]
    found = messages(*sent, wire.by_card(7, packets.ACK, 2, ack=1, out=False))
    assert [each.end_ns for each in found] == [7, 2]


def test_a_read_of_a_card_lasts_from_the_request_to_the_last_of_the_answer() -> None:
    parts = [(wire.BEGINS, 4096), (wire.MIDST, 4096), (wire.ENDS, 9)]
    answers = [
        wire.by_card(6 + number, packets.CARD_ANSWER, number, size, flags=flags, out=False)
        for number, (flags, size) in enumerate(parts)
    ]
    (found,) = messages(wire.by_card(3, packets.CARD_ASK, opcode=4), *answers)
    assert (found.operation, found.size_bytes, found.start_ns, found.end_ns) == ("read", 8201, 3, 8)


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_of_a_read_only_what_the_client_takes_counts_whatever_was_lost(lost: int) -> None:
    """What comes behind a lost packet is asked for again, and its first packet says that it is the first."""
    parts = [(wire.BEGINS, 4096), (wire.MIDST, 4096), (wire.ENDS, 9), (wire.WHOLE, 7)]
    again = [(flags if place else flags | wire.BEGINS, size) for place, (flags, size) in enumerate(parts[lost:])]
    came = [(number, *part) for number, part in enumerate(parts) if number != lost]
    came += [(lost + place, *part) for place, part in enumerate(again)]
    answers = [
        wire.by_card(10 + place, packets.CARD_ANSWER, number, size, flags=flags, out=False)
        for place, (number, flags, size) in enumerate(came)
    ]
    asked = [wire.by_card(time_ns, packets.CARD_ASK, number, opcode=4) for time_ns, number in ((1, 0), (2, 3))]
    one, other = messages(*asked, *answers[:3], wire.by_card(5, packets.CARD_ASK, lost, opcode=4), *answers[3:])
    assert (one.size_bytes, one.start_ns, one.end_ns) == (8201, 1, answers[-2].time_ns)
    assert (other.size_bytes, other.start_ns, other.end_ns) == (7, 2, answers[-1].time_ns)
