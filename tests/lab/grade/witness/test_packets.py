"""From a frame of the link's log to a packet."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lab.grade.witness import wire

from lab.grade.witness import packets
from lab.grade.witness.messages import Assembly, Streams
from lab.grade.witness.packets import OTHER, PART, READ, SEND, WRITE, WRITE_IMM, Packet, Segment, decoded
from lab.machine.results import Frame
from lab.places import CARD


def packet_of(frame: Frame, *, by_card: bool) -> Packet:
    packet = decoded(frame)
    assert isinstance(packet, Packet) and packet.by_card == by_card
    return packet


@pytest.mark.parametrize("size", [0, 1, 64, 4097])
def test_roce_packet_has_the_size_of_its_payload(size: int) -> None:
    packet = packet_of(wire.roce(5, wire.WRITE_ONLY, number=3, size=size, queue=9), by_card=False)
    assert (packet.time_ns, packet.goes_out, packet.queue, packet.number) == (5, True, 9, 3)
    assert (packet.role, packet.operation, packet.place, packet.data_bytes) == (PART, WRITE, packets.ONLY, size)


def test_roce_packet_without_room_for_its_headers_is_ignored() -> None:
    whole = wire.roce(5, wire.WRITE_ONLY)
    cut = whole._replace(head=whole.head[:16] + (59).to_bytes(2, "big") + whole.head[18:])
    assert [packet_of(frame, by_card=False).role for frame in (whole, cut)] == [PART, OTHER]


def test_other_udp_ports_are_ignored() -> None:
    frame = wire.roce(5, wire.WRITE_ONLY)
    assert decoded(frame._replace(head=frame.head[:36] + b"\x00\x35" + frame.head[38:])) is None


@pytest.mark.parametrize("out", [True, False])
def test_segment_names_the_clients_port_first(out: bool) -> None:  # noqa: FBT001
    segment = decoded(wire.tcp(5, 7, 100, out=out, ack=9))
    assert isinstance(segment, Segment)
    assert (segment.ports, segment.sequence, segment.acknowledged) == ((wire.CLIENT_PORT, 18800), 7, 9)
    assert (segment.payload_bytes, segment.goes_out) == (100, out)


@pytest.mark.parametrize(("opcode", "operation"), [(0, WRITE), (1, WRITE_IMM), (2, SEND), (3, SEND)])
def test_card_packet_has_its_operation_and_place(opcode: int, operation: str) -> None:
    for flags, place in {wire.BEGINS: packets.FIRST, wire.ENDS: packets.LAST, wire.WHOLE | 12: packets.ONLY}.items():
        frame = wire.by_card(5, packets.MESSAGE, 7, 64, opcode=opcode, flags=flags, here=9, there=4)
        packet = packet_of(frame, by_card=True)
        assert (packet.time_ns, packet.channel, packet.number) == (5, (True, False, 9, 4), 7)
        assert (packet.role, packet.operation, packet.place, packet.data_bytes) == (PART, operation, place, 64)


@pytest.mark.parametrize(
    ("kind", "opcode", "role", "operation"),
    [
        (packets.CARD_ASK, 4, packets.ASK, READ),
        (packets.CARD_ANSWER, 0, packets.ANSWER, READ),
        (packets.ACK, 0, packets.ACKNOWLEDGE, ""),
        (packets.ATOMIC, 5, OTHER, ""),
        (packets.MESSAGE, 4, OTHER, ""),
        (99, 0, OTHER, ""),
    ],
)
def test_kinds_of_card_packets_have_roles(kind: int, opcode: int, role: str, operation: str) -> None:
    packet = packet_of(wire.by_card(1, kind, opcode=opcode), by_card=True)
    assert (packet.role, packet.operation) == (role, operation)


def test_data_of_a_card_packet_end_with_the_message_or_the_log() -> None:
    assert packet_of(wire.by_card(1, packets.MESSAGE, size=3, data=b"abc"), by_card=True).data == b"abc"
    longer = packet_of(wire.by_card(1, packets.MESSAGE, size=99, data=b"abcdefgh"), by_card=True)
    assert longer.data[:8] == b"abcdefgh"


@pytest.mark.parametrize(("size", "role", "bytes_"), [(40, PART, 0), (140, PART, 100), (39, OTHER, -1)])
def test_datagram_of_a_card_has_a_routing_header(size: int, role: str, bytes_: int) -> None:
    packet = packet_of(wire.by_card(1, packets.DATAGRAM, size=size, opcode=2), by_card=True)
    assert (packet.role, packet.operation, packet.data_bytes, packet.data) == (role, SEND, bytes_, b"")


def test_card_packet_kinds_and_flags_equal_those_of_the_device() -> None:
    text = (CARD / "device" / "packet.h").read_text()
    (kinds,) = re.findall(r"enum packet_kind {(.*?), PACKET_KINDS", text)
    renamed = {"ASK": "CARD_ASK", "ANSWER": "CARD_ANSWER"}
    values = [getattr(packets, renamed.get(name, name)) for name in kinds.strip().split(", ")]
    assert values and values == list(range(len(values)))
    flags = {name: int(value) for name, value in re.findall(r"(INSIDE|REPORTED|RUNG) = (\d+)", text)}
    assert flags == {name: getattr(packets, name) for name in ("INSIDE", "REPORTED", "RUNG")}


NOISE = st.binary(max_size=96)
KINDS = st.sampled_from([bytes(12) + kind for kind in (b"\x08\x00", b"\x86\xdd", b"\x88\xb5")])
BEGUN = st.sampled_from([wire.roce(1, wire.WRITE_ONLY).head[:42], wire.by_card(1, packets.MESSAGE).head[:20]])


@settings(deadline=None)  # hosts may be busy
@given(st.lists(st.builds(lambda kind, noise: kind + noise, KINDS | BEGUN, NOISE), max_size=5), st.binary(max_size=1))
def test_no_frame_breaks_the_reading(heads: list[bytes], ways: bytes) -> None:
    assembly, streams = Assembly(), Streams((18800,))
    for head in [*heads, b"", ways]:
        match decoded(Frame(1, bool(ways), len(head), head)):
            case Packet() as packet:
                assembly.take(packet)
            case Segment() as segment:
                streams.take(segment)
    assert all(message.size_bytes >= 0 for message in assembly.messages)
