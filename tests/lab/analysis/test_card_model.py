"""The modelled card in closed form: what bounds its rate."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.analysis.card import Rates

CARD = Rates(rate_bit_s=32e9, header_bytes=30, gap_ps=228_000, block_ps=79_500)
SIZES = st.integers(1, 2**20)


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
def test_the_slowest_part_gives_the_time_of_a_message(size: int, inline_most: int, ps: float) -> None:
    assert CARD.message_ps(size, 4096, inline_most) == pytest.approx(ps)


def test_a_bus_bounds_what_is_fetched_over_it() -> None:
    slow = replace(CARD, bus_bit_s=8e9)
    assert slow.bytes_per_s(2**20) == pytest.approx(1e9)


@given(SIZES, st.sampled_from([0, 256, 1024]))
def test_no_rate_is_above_the_wires(size: int, inline_most: int) -> None:
    assert CARD.bytes_per_s(size, 4096, inline_most) < 4e9


@given(SIZES, st.sampled_from(["header_bytes", "gap_ps", "block_ps"]), st.floats(1, 1e6))
def test_more_of_a_cost_never_gives_more_throughput(size: int, cost: str, more: float) -> None:
    dearer = replace(CARD, **{cost: getattr(CARD, cost) + more})
    assert dearer.bytes_per_s(size, 4096, 1024) <= CARD.bytes_per_s(size, 4096, 1024)
