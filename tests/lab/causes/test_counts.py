"""What the plugin writes, read."""

from __future__ import annotations

import pytest

from lab.causes import symbols
from lab.causes.symbols import CodePage, CountsError

TEXT = b"instructions 12\npage ffffffff81000000 \n10 7\nfff 1\npage 5000 90cc\n0 5\n"


def test_pages_have_their_counts_by_place() -> None:
    found = symbols.parse_counts(TEXT)
    kernel, program = CodePage(0xFFFFFFFF81000000, b"", {0x10: 7, 0xFFF: 1}), CodePage(0x5000, b"\x90\xcc", {0: 5})
    assert found.pages == (kernel, program)
    assert (found.instructions, found.begun) == (12, 13)


def test_polls_in_vain_are_counted_apart() -> None:
    (page,) = symbols.parse_counts(b"instructions 9\npage 5000 90cc\n0 5 4\n1 4\n").pages
    assert (page.counts, page.in_vain) == ({0: 5, 1: 4}, {0: 4})


@pytest.mark.parametrize("text", [b"\n", b"page 5000 90\n0 5\n"])
def test_a_text_without_its_sum_is_refused(text: bytes) -> None:
    with pytest.raises(CountsError, match="the plugin left no counts"):
        symbols.parse_counts(text)
