"""The page beside the PDF: lab.report.commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.places import TEMPLATES
from lab.report import commands
from lab.report.twin.page import Material


def material(body: str) -> Material:
    return Material("one", {"report.tex": rf"\title{{One}}\begin{{document}}{body}\end{{document}}"}, {}, {}, ())  # type: ignore[arg-type]


def test_a_page_is_written_and_one_that_cannot_be_is_taken_away_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (TEMPLATES / "twin.html").is_file()
    file = tmp_path / "one.html"
    commands._page(file, material("Good."))
    assert "<p>Good.</p>" in file.read_text() and capsys.readouterr().err == ""
    commands._page(file, material(r"\bad"))
    assert not file.exists()
    assert "one.html was not written, the PDF was: the page does not know the command \\bad" in capsys.readouterr().err
