"""What TCP carried, by connection and answer."""

from __future__ import annotations

from tests.lab.grade.witness import wire

from lab.grade.witness.messages import Piece, Streams, exchanges
from lab.grade.witness.packets import Segment, decoded
from lab.machine.results import Frame

SYN = [wire.tcp(0, 99, syn=True), wire.tcp(1, 499, out=False, ack=100, syn=True)]


def pieces(*frames: Frame, ports: tuple[int, ...] = (18800,)) -> list[list[Piece]]:
    streams = Streams(ports)
    for frame in frames:
        segment = decoded(frame)
        assert isinstance(segment, Segment)
        streams.take(segment)
    return streams.pieces


def test_bytes_last_until_the_word_that_they_have_arrived_and_count_once() -> None:
    sent = [wire.tcp(10, 100, 50), wire.tcp(11, 150, 50), wire.tcp(20, 100, 100)]
    (found,) = pieces(*SYN, *sent, wire.tcp(30, 500, out=False, ack=200))
    assert [(each.size_bytes, each.start_ns, each.end_ns) for each in found] == [(50, 10, 30), (50, 11, 30)]


def test_the_numbers_of_bytes_begin_again() -> None:
    last = (1 << 32) - 10
    (found,) = pieces(wire.tcp(0, last - 1, syn=True), wire.tcp(1, last, 20), wire.tcp(2, 10, 5))
    assert [each.size_bytes for each in found] == [20, 5]


def test_each_pair_of_programs_has_its_own() -> None:
    first = [*SYN, wire.tcp(5, 100, 10)]
    second = [wire.tcp(6, 99, syn=True, port=18801), wire.tcp(7, 100, 30, port=18801)]
    assert [[each.size_bytes for each in some] for some in pieces(*first, *second, ports=(18800, 18801))] == [
        [10],
        [30],
    ]


def test_an_exchange_is_a_message_and_the_whole_of_its_answer() -> None:
    """Words that come behind an answer, a moment later, are no part of it."""
    steps = [(True, 5, 100), (False, 8, 60), (False, 9, 40), (False, 40, 2), (True, 50, 100), (False, 51, 7)]
    found = exchanges([Piece(out, time_ns, size, time_ns) for out, time_ns, size in steps], 100)
    assert [(each.start_ns, each.end_ns, each.size_bytes) for each in found] == [(5, 9, 100)]
