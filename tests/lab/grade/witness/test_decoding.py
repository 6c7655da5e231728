"""From a frame to what is in it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lab.grade.witness import wire

from lab.grade.witness import packets
from lab.grade.witness.messages import Assembly, Streams
from lab.grade.witness.packets import Packet, Segment, decoded
from lab.machine.results import Frame


def test_a_segment_names_the_clients_port_first() -> None:
    for out in (True, False):
        segment = decoded(wire.tcp(5, 7, 100, out=out, ack=9))
        assert isinstance(segment, Segment)
        assert (segment.ports, segment.sequence, segment.acknowledged) == ((wire.CLIENT_PORT, 18800), 7, 9)
        assert (segment.payload_bytes, segment.goes_out) == (100, out)


def test_another_port_of_udp_is_no_rdma() -> None:
    frame = wire.roce(5, wire.WRITE_ONLY)
    assert decoded(frame._replace(head=frame.head[:36] + b"\x00\x35" + frame.head[38:])) is None


NOISE = st.binary(max_size=96)
KINDS = st.sampled_from([bytes(12) + kind for kind in (b"\x08\x00", b"\x86\xdd", b"\x88\xb5")])
BEGUN = st.sampled_from([wire.roce(1, wire.WRITE_ONLY).head[:42], wire.by_card(1, packets.MESSAGE).head[:20]])


@settings(deadline=None)  # a busy computer is no fault
@given(st.lists(st.builds(lambda kind, noise: kind + noise, KINDS | BEGUN, NOISE), max_size=5), st.binary(max_size=1))
def test_no_frame_of_a_stranger_breaks_the_reading(heads: list[bytes], ways: bytes) -> None:
    assembly, streams = Assembly(), Streams((18800,))
    for head in [*heads, b"", ways]:
        match decoded(Frame(1, bool(ways), len(head), head)):
            case Packet() as packet:
                assembly.take(packet)
            case Segment() as segment:
                streams.take(segment)
    assert all(each.size_bytes >= 0 for each in assembly.messages)
