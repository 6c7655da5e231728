"""Figures that are kept: lab.report.exhibits.core, drawn once, and again where what was kept is damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.figures.inputs import Figure
from lab.files.store import SUMS
from lab.report.exhibits.core import WORDS, Gallery, Sketch


@pytest.mark.parametrize("name", ["figure.pdf", "figure.png", "figure.svg", WORDS, SUMS])
def test_a_damaged_figure_is_drawn_again(tmp_path: Path, name: str) -> None:
    drawn: list[Any] = []
    figure = Figure("one", b"pdf", b"png", b"svg", "words", "n = 1", ("k",))

    def draw(data: Any) -> Figure:
        drawn.append(data)
        return figure

    def shown() -> Figure:
        return Gallery(tmp_path).draw(Sketch("one", "One.", "data", draw))

    assert shown() == shown() == figure and len(drawn) == 1
    (folder,) = tmp_path.iterdir()
    (folder / name).write_bytes(b"damage")
    assert shown() == shown() == figure and len(drawn) == 2
