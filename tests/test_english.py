"""The check of prose that `make lint` runs: which sentences it refuses, and where it looks."""

from pathlib import Path

import pytest
from tests.english import faults, files, prose


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("'0' is no whole number", "is no whole"),
        ("Beside it lies the hand-out.", "lies"),
        ("Read by who has time.", "by who"),
        ("The lab downloads the packages.", "The lab"),
        ("four messages under way", "under way"),
        ("compile a stranger's program", "stranger"),
        ("the color of a curve", "color"),
    ],
)
def test_private_dialect_and_american_spelling_are_refused(sentence: str, word: str) -> None:
    (fault,) = faults(sentence)
    assert fault.startswith(repr(word))


@pytest.mark.parametrize(
    "sentence",
    [
        "There is no longer a lock.",
        "a program with its own queue",
        "Verbyte downloads the packages.",
        "a program of ours",
    ],
)
def test_plain_sentences_pass(sentence: str) -> None:
    assert faults(sentence) == []


def test_code_in_pages_and_names_in_programs_are_not_prose(tmp_path: Path) -> None:
    page, program = tmp_path / "page.md", tmp_path / "program.py"
    page.write_text("Say `color` here.\n\n    color = red\n\nA color there.\n")
    program.write_text('color = "a color to draw"  # the color\nstranger = ["color"]\n')
    assert [(line, fault[:7]) for line, text in prose(page) for fault in faults(text)] == [(5, "'color'")]
    assert [line for line, text in prose(program) for _ in faults(text)] == [1, 1]


def test_pages_programs_and_templates_are_checked() -> None:
    names = {str(file.relative_to(Path(__file__).parents[1])) for file in files()}
    assert {
        "README.md",
        "docs/student.md",
        "code/lab/errors.py",
        "code/bench/stream.c",
        "templates/latency.tex",
    } <= names
