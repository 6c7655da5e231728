import pytest

from lab.errors import all_lines, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ada Lovelace, Übung 3", "Ada Lovelace, Übung 3"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x1b[2J", r"\x1b[2J"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("a\u2028b\u200bc", r"a\u2028b\u200bc"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_moves_hides_or_ends_a_line_is_escaped(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_lines_that_the_lab_broke_stay() -> None:
    assert all_lines("one\x07\ntwo") == "one\\x07\ntwo"
