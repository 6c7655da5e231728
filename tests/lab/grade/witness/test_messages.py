"""From packets to messages."""

from __future__ import annotations

from tests.lab.grade.witness import wire

from lab.grade.witness.messages import Assembly, Message
from lab.grade.witness.packets import Packet, decoded
from lab.machine.frames import Frame


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
