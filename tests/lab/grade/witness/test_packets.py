"""From a frame of the link's log to a packet, and a card's packets as RoCE v2 in a file for Wireshark."""

import re
import struct
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab.grade.witness import wire

from lab.grade.witness import packets
from lab.grade.witness.capture import roce_frame, write
from lab.grade.witness.messages import Assembly, Streams
from lab.grade.witness.packets import OTHER, PART, READ, SEND, WRITE, WRITE_IMM, Packet, Segment, decoded
from lab.machine.results import Frame, read
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
        (packets.ATOMIC, 5, packets.ASK, READ),
        (packets.ATOMIC, 4, OTHER, ""),
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


OF_A_CARD = (
    *product([packets.MESSAGE], range(4), [wire.MIDST, wire.BEGINS, wire.ENDS, wire.WHOLE]),
    *product([packets.CARD_ANSWER], [0], [wire.MIDST, wire.BEGINS, wire.ENDS, wire.WHOLE]),
    *product([packets.DATAGRAM], [2, 3], [wire.WHOLE]),
    (packets.CARD_ASK, 4, wire.WHOLE),
    (packets.ACK, 0, wire.WHOLE),
)


@pytest.mark.parametrize(("kind", "opcode", "flags"), OF_A_CARD)
@pytest.mark.parametrize("size", [0, 7, 1000])
def test_packet_of_a_card_is_the_same_message_as_roce(kind: int, opcode: int, flags: int, size: int) -> None:
    before = packets.GRH_BYTES if kind == packets.DATAGRAM else 0
    size = 0 if kind in (packets.CARD_ASK, packets.ACK) else size
    frame = wire.by_card(3, kind, 9, before + size, opcode=opcode, flags=flags)
    head, whole = roce_frame(frame.head[: 78 + before + size])
    packet, expected = decoded(frame._replace(size_bytes=whole, head=head)), decoded(frame)
    assert isinstance(packet, Packet) and isinstance(expected, Packet)
    assert (packet.role, packet.queue, packet.number) == (expected.role, expected.queue, expected.number)
    assert packet.data_bytes == size and len(head) <= whole
    last_piece = packet.operation.removesuffix("-imm") == expected.operation.removesuffix("-imm")
    assert last_piece and (packet.place == expected.place or kind == packets.DATAGRAM)


def test_refused_packet_has_the_syndrome_of_its_reason() -> None:
    syndromes = []
    for ack in range(6):
        head, whole = roce_frame(wire.by_card(1, packets.ACK, ack=ack).head[:78])
        assert len(head) == whole == 62
        syndromes.append(head[54])
    assert syndromes == [0x1F, 0x20, 0x60, 0x61, 0x62, 0x63]


def test_congestion_is_marked_and_notified_as_rocev2_does() -> None:
    head, whole = roce_frame(wire.by_card(1, packets.CONGESTION, flags=0).head[:78])
    assert (whole, head[42]) == (len(head), 0x81) and head[46] == 0x40  # a notification, which has the bit BECN
    assert head[54:-4] == bytes(16) and decoded(Frame(1, goes_out=True, size_bytes=whole, head=head))
    services = [roce_frame(wire.by_card(1, packets.MESSAGE, flags=wire.WHOLE | flag).head)[0][15] for flag in (0, 128)]
    assert services == [0, 3]  # congestion experienced


def test_other_frames_times_and_fates_stay_as_they_are(tmp_path: Path) -> None:
    log, file = tmp_path / "log", tmp_path / "file"
    frames = [wire.tcp(1 << 40, 7, 100), wire.by_card(2, packets.MESSAGE, size=3, data=b"abc", out=False)]
    log.write_bytes(b"".join(block(frame) for frame in frames))
    assert write(log, file) == 2
    first, second = read(file)
    assert first == frames[0]._replace(fate="lost") and file.read_bytes().startswith(block(frames[0]))
    assert (second.time_ns, second.goes_out) == (2, False)
    packet = decoded(second)
    assert isinstance(packet, Packet) and not packet.by_card and packet.data == b"abc"
    assert file.read_bytes().count(b"lost") == 2


def block(frame: Frame) -> bytes:
    """A frame as code/machine/pair/log.c writes it, lost."""
    padded = frame.head + bytes(-len(frame.head) % 4)
    options = struct.pack("<HHI", 2, 4, 2 if frame.goes_out else 1) + struct.pack("<HH4sI", 1, 4, b"lost", 0)
    values = struct.pack("<5I", 0, frame.time_ns >> 32, frame.time_ns & 0xFFFFFFFF, len(frame.head), frame.size_bytes)
    length = 12 + len(values) + len(padded) + len(options)
    return struct.pack("<II", 6, length) + values + padded + options + struct.pack("<I", length)
