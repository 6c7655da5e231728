"""Errors as sentences, and texts that cannot move a terminal's cursor."""

from pathlib import Path

import pytest

from lab.errors import LabError, SpecError, all_lines, one_line


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (LabError("it broke"), "it broke"),
        (LabError("it broke", "/a", "lab doctor"), "/a: it broke (try: lab doctor)"),
        (SpecError("no size", file=Path("x.toml"), line=3, expected="64"), "x.toml:3: no size, expected 64"),
        (SpecError("it has no series", file=Path("x.toml"), hint="add one"), "x.toml: it has no series (try: add one)"),
    ],
)
def test_error_is_one_sentence_with_file_fault_and_hint(error: LabError, sentence: str) -> None:
    assert str(error) == sentence


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
def test_control_and_format_characters_are_escaped(text: str, shown: str) -> None:
    assert one_line(text) == shown and all_lines(f"one\x07\n{text}".split("\n", 1)[0] + "\ntwo") == "one\\x07\ntwo"
