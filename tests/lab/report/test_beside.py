"""The page beside the PDF: lab.report.commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.places import TEMPLATES
from lab.report import commands
from lab.report.twin.page import Material


def material(body: str) -> Material:
    return Material("one", {"report.tex": rf"\title{{One}}\begin{{document}}{body}\end{{document}}"}, {}, {}, ())  # type: ignore[arg-type]


def test_a_page_that_cannot_be_written_leads_to_the_pdf_and_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (TEMPLATES / "twin.html").is_file()
    file = tmp_path / "one.html"
    commands._page(file, material("Good."))
    assert "<p>Good.</p>" in file.read_text() and capsys.readouterr().err == ""
    commands._page(file, material(r"\bad <b>"))
    why = "the page does not know the command \\bad"
    assert f"<p>This report is there for print alone: {why}.</p>" in file.read_text()
    assert '<a href="one.pdf">' in file.read_text()
    assert f"one.html leads to the PDF and holds nothing else: {why}" in capsys.readouterr().err
