"""Numbers as a reader gets them: lab.report.tex.numbers."""

import pytest

from lab.report.tex.numbers import in_words, show, show_exactly, significant


@pytest.mark.parametrize(
    ("value", "unit", "place", "plain"),
    [
        (1_234_567_890, "B/s", 6, "1.235 GB/s"),
        (0.0000402, "s", -7, "40.2 µs"),
        (999, "B", 0, "999 B"),
        (1234.5, "messages/s", 2, "1200 messages/s"),
        (4096, "bytes", 0, "4.000 KiB"),
        (1.05, "", -2, "1.05"),
    ],
)
def test_a_number_has_the_prefix_that_leaves_a_digit_before_the_point(
    value: float, unit: str, place: int, plain: str
) -> None:
    assert show(value, unit, place).plain == plain


def test_what_was_chosen_is_printed_in_full() -> None:
    assert show_exactly(1_500_000, "B/s").plain == "1.5 MB/s"
    assert show_exactly(1_500_000, "B/s").tex == r"\qty{1.5}{\mega\byte\per\second}"
    assert show_exactly(12, "").tex == r"\labnum{12}"
    assert show_exactly(50_000, "").tex == r"\num{50000}"  # siunitx groups its digits


@pytest.mark.parametrize(
    ("size", "words"), [(64, "64 B"), (4096, "4 KiB"), (1000, "1 kB"), (1025, "1025 B"), (3 << 20, "3 MiB")]
)
def test_a_size_has_a_prefix_only_where_it_divides_the_size(size: int, words: str) -> None:
    assert in_words(size) == words


def test_the_place_of_significant_digits() -> None:
    assert [significant(value, 3) for value in (1234, 0.01234, 0)] == [1, -4, -2]
