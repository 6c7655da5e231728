"""The modelled card in closed form, its fit to a curve, and the ceiling of a link."""

from dataclasses import fields, replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.analysis.card import Conditions, Rates, errors, fit, fit_latency, slowed, tcp_limit, unknown, write_limit
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


@given(ANY_SIZE, st.sampled_from(["header_bytes", "gap_ps", "block_ps"]), st.floats(1, 1e6))
def test_higher_cost_never_raises_throughput(size: int, cost: str, more: float) -> None:
    dearer = replace(MODEL, **{cost: getattr(MODEL, cost) + more})
    assert dearer.bytes_per_s(size, 4096, 1024) <= MODEL.bytes_per_s(size, 4096, 1024)


SIZES = [2**n for n in range(21)]
KNOWN = Conditions(rate_bit_s=32e9, mtu=4096, inline_most=1024)
CARD = Rates(rate_bit_s=32e9, header_bytes=40, gap_ps=228_000, block_ps=79_500)


def curve() -> dict[int, float]:
    return {size: CARD.bytes_per_s(size, KNOWN.mtu, KNOWN.inline_most) for size in SIZES}


REAL = {
    "header": Rates(200e9, 66, 183_000, 0),
    "many headers": Rates(100e9, 83, 138_000, 0),
    "bus": Rates(32e9, 30, 113_000, 0, bus_bit_s=25e9),
    "knee": Rates(100e9, 69, 258_000, 0, knee_permille=300),
}


@pytest.mark.parametrize("operation", ["write", "read", "send"])
@pytest.mark.parametrize("name", REAL)
def test_fit_recovers_a_card_from_half_of_the_sizes_with_noise(name: str, operation: str) -> None:
    card, random = REAL[name], Random(1)
    known = Conditions(card.rate_bit_s, 1024 if name == "many headers" else 4096, operation=operation)
    values = {2**n: card.value(2**n, known) * (1 + random.uniform(-0.004, 0.004)) for n in range(1, 24)}
    exact = {size: card.value(size, known) for size in values}
    for sizes in (set(values), set(list(values)[::2]), set(list(values)[1::2])):
        fitted = fit({size: values[size] for size in sizes}, known)
        assert (fitted.gap_ps, fitted.bus_bit_s) == pytest.approx((card.gap_ps, card.bus_bit_s), rel=0.05)
        assert card.bus_bit_s or fitted.header_bytes == pytest.approx(card.header_bytes, abs=25)
        off = sorted(map(abs, errors(exact, fitted, known).values()))
        assert off[len(off) // 2] < 0.01 and off[-1] < 0.05


def test_parameters_that_a_curve_does_not_show_are_named() -> None:
    card, known = REAL["header"], Conditions(200e9)
    small, large = ([2**n for n in powers] for powers in (range(1, 6), range(16, 24)))
    shown = {
        size[0]: {each.name for each in fields(card)}
        - set(unknown(dict.fromkeys(size, 1.0), card, known))
        - {"knee_permille"}
        for size in (small, large)
    }
    assert shown == {2: {"gap_ps"}, 2**16: {"rate_bit_s", "header_bytes"}}
    assert fit({size: card.value(size, known) for size in small}, known).bus_bit_s == 0


def test_latency_shows_wire_and_fetch() -> None:
    card = replace(REAL["bus"], doorbell_ps=100_000, fetch_ps=600_000, write_ps=150_000, wire_ns=700)
    known = Conditions(32e9, inline_most=220, measure="latency")
    curve = {size: card.value(size, known) for size in (2, 64, 256, 4096, 65536)}
    start = replace(card, wire_ns=0, fetch_ps=0)
    fitted = fit_latency(curve, start, known)
    assert (fitted.wire_ns, fitted.fetch_ps) == pytest.approx((700, 600_000))
    once = 100 + 700 + 150  # ns: a WRITE's way; a READ's request goes there, its data are fetched and come back
    assert card.latency_ps(2, 4096, 220) / 1000 == pytest.approx(once, abs=20)
    assert card.latency_ps(2, 4096, 0, "read") / 1000 == pytest.approx(once + 600 + 700, abs=40)


def test_outstanding_reads_bound_the_rate() -> None:
    card, known = Rates(100e9, 30, 0, 0, wire_ns=10_000), Conditions(100e9, operation="read")
    assert card.message_ps(64, 4096, 0, "read", 16) == pytest.approx(20e6 / 16, rel=0.01)
    assert card.value(64, replace(known, reads=4)) == pytest.approx(card.value(64, known) / 4)


def test_size_that_takes_longer_than_a_larger_one_is_slowed() -> None:
    rates = curve() | {8: curve()[8] / 1.06, 4096: curve()[4096] / 1.04}
    assert slowed(rates, KNOWN) == [8]  # from 1 to 2 KiB the time falls, as data are no longer sent inline


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
