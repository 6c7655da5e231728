import pytest

from lab.analysis.card import tcp_limit, write_limit

GIGABIT = 1e9


def test_a_packet_of_a_write_carries_its_path_mtu_beside_its_headers() -> None:
    """1 KiB is one packet, 1 KiB and a byte are two: 82 B of Ethernet, IP, UDP and BTH each, and one RETH."""
    one, two = write_limit([1024, 1025], GIGABIT, 1500).y
    assert one == pytest.approx(125e6 * 1024 / (1024 + 82 + 16))
    assert two == pytest.approx(125e6 * 1025 / (1025 + 2 * 82 + 16))


def test_a_larger_mtu_carries_larger_packets() -> None:
    (small,), (large,) = (write_limit([1 << 20], GIGABIT, mtu).y for mtu in (1500, 9000))
    assert small == pytest.approx(125e6 * 1024 / (1024 + 82), rel=1e-4)
    assert large == pytest.approx(125e6 * 4096 / (4096 + 82), rel=1e-4)


def test_tcp_fills_its_segments_whatever_the_size_of_a_message() -> None:
    assert tcp_limit([1, 4096], GIGABIT, 1500).y == pytest.approx((125e6 * 1448 / 1538,) * 2)
