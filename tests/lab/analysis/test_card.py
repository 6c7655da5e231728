"""The modelled card in closed form, its fit to a curve, and the ceiling of a link."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.analysis.card import Conditions, Rates, fit, tcp_limit, write_limit
from lab.analysis.estimate import TooFewSamples

MODEL = Rates(rate_bit_s=32e9, header_bytes=30, gap_ps=228_000, block_ps=79_500)
ANY_SIZE = st.integers(1, 2**20)


@pytest.mark.parametrize(
    ("size", "inline_most", "ps"),
    [
        (1, 0, 228_000),  # the card's work for each message
        (256, 0, 228_000),
        (256, 1024, 5 * 79_500),  # (36 + 256) bytes are five blocks of 64
        (1025, 1024, (1025 + 30 + 16) * 250),  # the wire: 250 ps for each byte
        (8192, 0, (8192 + 2 * 30 + 16) * 250),  # a header for each packet
    ],
)
def test_slowest_part_determines_the_time_of_a_message(size: int, inline_most: int, ps: float) -> None:
    assert MODEL.message_ps(size, 4096, inline_most) == pytest.approx(ps)


def test_bus_limits_fetched_data() -> None:
    slow = replace(MODEL, bus_bit_s=8e9)
    assert slow.bytes_per_s(2**20) == pytest.approx(1e9)


@given(ANY_SIZE, st.sampled_from(["header_bytes", "gap_ps", "block_ps"]), st.floats(1, 1e6))
def test_higher_cost_never_raises_throughput(size: int, cost: str, more: float) -> None:
    dearer = replace(MODEL, **{cost: getattr(MODEL, cost) + more})
    assert dearer.bytes_per_s(size, 4096, 1024) <= MODEL.bytes_per_s(size, 4096, 1024)


SIZES = [2**n for n in range(21)]
KNOWN = Conditions(rate_bit_s=32e9, mtu=4096, inline_most=1024)
CARD = Rates(rate_bit_s=32e9, header_bytes=40, gap_ps=228_000, block_ps=79_500)


def curve() -> dict[int, float]:
    return {size: CARD.bytes_per_s(size, KNOWN.mtu, KNOWN.inline_most) for size in SIZES}


@pytest.mark.parametrize("slowed", [(), (1, 2, 64, 128)], ids=["exact", "some sizes are slower"])
def test_fit_recovers_the_parameters_of_a_curve(slowed: tuple[int, ...]) -> None:
    card = fit({size: rate * (0.7 if size in slowed else 1) for size, rate in curve().items()}, KNOWN)
    assert (card.gap_ps, card.block_ps, card.header_bytes) == pytest.approx((228_000, 79_500, 40), rel=0.02)


def test_fit_needs_four_sizes() -> None:
    with pytest.raises(TooFewSamples):
        fit(dict(list(curve().items())[:3]), KNOWN)


GIGABIT = 1e9


def test_each_packet_of_a_write_adds_headers() -> None:
    """1 KiB is one packet, 1 KiB and a byte are two: 82 B of Ethernet, IP, UDP and BTH each, and one RETH."""
    one, two = (write_limit(size, GIGABIT, 1500) for size in (1024, 1025))
    assert one == pytest.approx(125e6 * 1024 / (1024 + 82 + 16))
    assert two == pytest.approx(125e6 * 1025 / (1025 + 2 * 82 + 16))


def test_tcp_fills_its_segments() -> None:
    assert tcp_limit(GIGABIT, 1500) == pytest.approx(125e6 * 1448 / 1538)
