"""A card's packets as RoCE v2 in a file for Wireshark."""

import struct
from itertools import product
from pathlib import Path

import pytest
from tests.lab.grade.witness import wire

from lab.grade.witness import packets
from lab.grade.witness.capture import roce_frame, write
from lab.grade.witness.packets import Packet, decoded
from lab.machine.results import Frame, read

KINDS = (
    *product([packets.MESSAGE], range(4), [wire.MIDST, wire.BEGINS, wire.ENDS, wire.WHOLE]),
    *product([packets.CARD_ANSWER], [0], [wire.MIDST, wire.BEGINS, wire.ENDS, wire.WHOLE]),
    *product([packets.DATAGRAM], [2, 3], [wire.WHOLE]),
    (packets.CARD_ASK, 4, wire.WHOLE),
    (packets.ACK, 0, wire.WHOLE),
)


@pytest.mark.parametrize(("kind", "opcode", "flags"), KINDS)
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
