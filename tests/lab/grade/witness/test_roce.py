"""What RoCE's packets say."""

from __future__ import annotations

import pytest
from tests.lab.grade.witness import wire

from lab.grade.witness.packets import ONLY, OTHER, PART, WRITE, Packet, decoded


@pytest.mark.parametrize("size", [0, 1, 64, 4097])
def test_a_packet_is_as_long_as_its_payload(size: int) -> None:
    packet = decoded(wire.roce(5, wire.WRITE_ONLY, number=3, size=size, queue=9))
    assert isinstance(packet, Packet) and not packet.by_card
    assert (packet.time_ns, packet.goes_out, packet.queue, packet.number) == (5, True, 9, 3)
    assert (packet.role, packet.operation, packet.place, packet.data_bytes) == (PART, WRITE, ONLY, size)


def test_a_packet_without_room_for_its_headers_is_no_part_of_anything() -> None:
    whole = wire.roce(5, wire.WRITE_ONLY)
    cut = whole._replace(head=whole.head[:16] + (59).to_bytes(2, "big") + whole.head[18:])
    for frame, role in ((whole, PART), (cut, OTHER)):
        packet = decoded(frame)
        assert isinstance(packet, Packet) and packet.role == role
