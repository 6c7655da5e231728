"""Sizes in bytes and lists of them."""

import contextlib
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import SizeError
from lab.model.sizes import format_size, in_prefix, parse_size, parse_sizes


@pytest.mark.parametrize(
    ("typed", "sizes"),
    [
        ("1..1M*2", [2**power for power in range(21)]),
        ("16M..2144M+16M", range(16 << 20, 2145 << 20, 16 << 20)),
        ([1, "4K", "16..64*2"], [1, 4096, 16, 32, 64]),
    ],
)
def test_lists_have_numbers_sizes_and_ranges(typed: str | list[int | str], sizes: Iterable[int]) -> None:
    assert parse_sizes(typed) == tuple(sizes)


LONG = "1" * 4400  # digits, more than Python reads
TOO_LONG = (LONG, f"{LONG}K", f"1..{LONG}*2", f"1..64*{LONG}")
INVALID = "|x|0|-1|1.5K|4KB| 4|1..|8..4*2|1..8*1|1..8+0|1..8|1,1|9999999999999G|1..1G+1"


@pytest.mark.parametrize("text", [*TOO_LONG, *INVALID.split("|")], ids=lambda text: text[:20])
def test_text_that_is_not_a_list_of_sizes_is_refused(text: str) -> None:
    with pytest.raises(SizeError):
        parse_sizes(text)


@given(st.integers(1, 2**60))
def test_formatted_size_reads_back(size: int) -> None:
    assert parse_size(format_size(size)) == size


@given(st.integers(1, 1000), st.integers(0, 10**6), st.integers(2, 9), st.sampled_from("*+"))
def test_range_stays_within_its_ends_and_grows(first: int, more: int, step: int, how: str) -> None:
    last = first + min(more, 1000)
    sizes = parse_sizes(f"{first}..{last}{how}{step}")
    assert sizes[0] == first and sizes[-1] <= last and list(sizes) == sorted(set(sizes))


@given(st.text(max_size=20))
def test_any_text_is_sizes_or_an_error(text: str) -> None:
    with contextlib.suppress(SizeError):
        assert all(size > 0 for size in parse_sizes(text))


def test_prefix_is_decimal_for_multiples_of_1000_and_binary_otherwise() -> None:
    found = [in_prefix(size) for size in (0, 1, 1023, 1024, 1536, 4000, 16_000_000, 2_144_000_000, 5 << 40)]
    assert found[:5] == [(0, ""), (1, ""), (1023, ""), (1, "Ki"), (1.5, "Ki")]
    assert found[5:] == [(4, "k"), (16, "M"), (2.144, "G"), (5120, "Gi")]
