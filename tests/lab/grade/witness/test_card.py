"""What the packets between two modelled cards say."""

from __future__ import annotations

import re

import pytest
from tests.lab.grade.witness import wire

from lab.grade.witness import packets
from lab.grade.witness.packets import FIRST, LAST, ONLY, OTHER, PART, READ, SEND, WRITE, WRITE_IMM, Packet, decoded
from lab.machine.results import Frame
from lab.places import CARD


def packet_of(frame: Frame) -> Packet:
    packet = decoded(frame)
    assert isinstance(packet, Packet) and packet.by_card
    return packet


@pytest.mark.parametrize(("opcode", "operation"), [(0, WRITE), (1, WRITE_IMM), (2, SEND), (3, SEND)])
def test_a_part_of_a_message_has_its_operation_and_its_place(opcode: int, operation: str) -> None:
    places = {wire.BEGINS: FIRST, wire.ENDS: LAST, wire.WHOLE | 12: ONLY}
    for flags, place in places.items():
        found = packet_of(wire.by_card(5, packets.MESSAGE, 7, 64, opcode=opcode, flags=flags, here=9, there=4))
        assert (found.time_ns, found.goes_out, found.flow, found.number) == (5, True, (9, 4), 7)
        assert (found.role, found.operation, found.place, found.data_bytes) == (PART, operation, place, 64)


def test_its_data_begin_behind_the_header_and_end_with_it() -> None:
    assert packet_of(wire.by_card(1, packets.MESSAGE, size=3, data=b"abc")).data == b"abc"
    assert packet_of(wire.by_card(1, packets.MESSAGE, size=99, data=b"abcdefgh")).data[:8] == b"abcdefgh"


@pytest.mark.parametrize(("size", "role", "bytes_"), [(40, PART, 0), (140, PART, 100), (39, OTHER, -1)])
def test_a_datagram_has_a_routing_header_before_its_data(size: int, role: str, bytes_: int) -> None:
    found = packet_of(wire.by_card(1, packets.DATAGRAM, size=size, opcode=2))
    assert (found.role, found.operation, found.data_bytes, found.data) == (role, SEND, bytes_, b"")


@pytest.mark.parametrize(
    ("kind", "opcode", "role", "operation"),
    [
        (packets.CARD_ASK, 4, packets.ASK, READ),
        (packets.CARD_ANSWER, 0, packets.ANSWER, READ),
        (packets.ACK, 0, packets.ACKNOWLEDGE, ""),
        (packets.ATOMIC, 5, OTHER, ""),
        (packets.RESULT, 0, OTHER, ""),
        (packets.MESSAGE, 4, OTHER, ""),
        (99, 0, OTHER, ""),
    ],
)
def test_the_other_kinds_are_told_apart(kind: int, opcode: int, role: str, operation: str) -> None:
    found = packet_of(wire.by_card(1, kind, opcode=opcode))
    assert (found.role, found.operation) == (role, operation)


def test_the_numbers_are_those_of_the_devices_header() -> None:
    text = (CARD / "device" / "packet.h").read_text()
    (kinds,) = re.findall(r"enum packet_kind {(.*?), PACKET_KINDS", text)
    names = kinds.strip().split(", ")
    renamed = {"ASK": "CARD_ASK", "ANSWER": "CARD_ANSWER"}
    assert names and [getattr(packets, renamed.get(name, name)) for name in names] == list(range(len(names)))
