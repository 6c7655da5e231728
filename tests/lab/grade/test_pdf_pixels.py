"""Two PDFs as they are seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from lab.grade.finding import Flaw
from lab.grade.pdf_parts import run_bounded
from lab.grade.pdf_pixels import BLOCK, differing_pages


def pdf(pages: int, marked: int = 0, box: str = "0 0 200 100") -> bytes:
    """Empty pages, one of them with a black square."""
    numbers = range(1, pages + 1)
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    objects.append(f"<< /Type /Pages /Count {pages} /Kids [{' '.join(f'{2 + each} 0 R' for each in numbers)}] >>")
    for each in numbers:
        drawn = f"/Contents {3 + pages} 0 R" if each == marked else ""
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] {drawn} >>")
    objects.append("<< /Length 15 >> stream\n10 10 50 50 re f\nendstream")
    text, places = "%PDF-1.5\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    return f"{text}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()


def said(given: bytes, made: bytes) -> list[str]:
    found = list(differing_pages(given, made))
    assert {each.kind for each in found} <= {Flaw.SEEN}
    return [each.what for each in found]


def test_pages_that_look_alike_raise_no_alarm() -> None:
    assert said(pdf(BLOCK + 1, 3), pdf(BLOCK + 1, 3)) == []


def test_a_mark_is_found_on_any_page_and_its_place_is_named() -> None:
    for page in (1, BLOCK, BLOCK + 2):
        (what,) = said(pdf(BLOCK + 2, page), pdf(BLOCK + 2))
        assert what.startswith(f"page {page} looks otherwise") and "5 to 29 % from the left" in what


def test_missing_pages_are_named_one_by_one_and_the_first_of_too_many() -> None:
    assert said(pdf(1), pdf(3)) == ["page 2 is missing", "page 3 is missing"]
    assert said(pdf(3), pdf(1)) == ["page 2 is one too many"]
    assert said(pdf(1, box="0 0 100 100"), pdf(1)) == ["page 1 has another size or position"]


def test_no_more_is_drawn_than_the_data_give_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of pages would take hundreds of MiB and minutes."""
    bounds: list[int] = []

    def drawn(command: Sequence[str], content: bytes, folder: Path, bound: int) -> bytes:
        bounds.append(bound)
        return run_bounded(command, content, folder, bound)

    monkeypatch.setattr("lab.grade.pdf_pixels.run_bounded", drawn)
    assert len(said(pdf(300), pdf(2))) == 1
    assert len(bounds) == 2 and sum(bounds) < 50 * 2**20
