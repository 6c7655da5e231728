"""The reports of the gallery: lab.web."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.web.small_pdf import small_pdf

from lab.errors import LabError
from lab.web import first_page, gallery

PAGE = (
    '<title>One &amp; two</title><svg role="img" aria-label="A line &lt; another" viewBox="0 0 1 1"><path/></svg><svg/>'
)


def test_a_report_comes_with_its_first_page_its_first_figure_and_its_table(tmp_path: Path) -> None:
    (tmp_path / "one.pdf").write_bytes(small_pdf())
    (tmp_path / "one.html").write_text(PAGE)
    (tmp_path / "one.csv").write_text("size\n1\n")
    (found,) = gallery(tmp_path, tmp_path)
    assert (found.name, found.title, found.figure_says) == ("one", "One & two", "A line < another")
    assert sorted(found.files) == ["one.csv", "one.html", "one.pdf", "one.png", "one.svg"]
    assert found.files["one.png"].startswith(b"\x89PNG")
    assert (
        found.files["one.svg"].endswith(b"<path/></svg>")
        and b'xmlns="http://www.w3.org/2000/svg"' in found.files["one.svg"]
    )


def test_a_report_without_table_or_figure_has_a_card_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "one.pdf").write_bytes(small_pdf())
    (tmp_path / "one.html").write_text("<p>for print alone</p>")
    (found,) = gallery(tmp_path, tmp_path)
    assert (found.title, found.figure_says) == ("one", "")
    assert sorted(found.files) == ["one.html", "one.pdf", "one.png"]


def test_a_pdf_that_is_none_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"no PDF")
    with pytest.raises(LabError, match="broken"):
        first_page(tmp_path / "broken.pdf")
