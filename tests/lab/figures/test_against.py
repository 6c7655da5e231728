"""Figures against a varied value: lab.figures.curves."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.figures.examples import against, estimate

from lab.figures import drawers
from lab.figures.inputs import Against, Curve, Figure, FigureError
from lab.figures.marks import plain


def depths() -> Against:
    """A rate that follows a model up to a limit."""
    xs = (1.0, 4.0, 16.0)
    rates, models = (tuple(map(estimate, ys)) for ys in ((3e5, 1.2e6, 3.1e6), (3e5, 1.2e6, 4.8e6)))
    data = replace(against(), name="depths", kind="messages", is_linear=False, limits=(("gap", 4.4e6),))
    ticks = tuple((x, f"{x:g}") for x in xs)
    return replace(data, ticks=ticks, curves=(Curve("1 B", xs, rates),), models=(Curve("depth over trip", xs, models),))


def words_of(figure: Figure, folder: Path) -> str:
    (folder / "figure.pdf").write_bytes(figure.pdf)
    return subprocess.run(["pdftotext", folder / "figure.pdf", "-"], capture_output=True, text=True, check=True).stdout


def test_its_words_have_every_point_and_tell_a_model_and_a_limit_from_what_was_measured() -> None:
    alt = plain(drawers.against(depths()).alt)
    assert "1 B 300 thousand/s at 1, 1.2 million/s at 4, 3.1 million/s at 16" in alt
    assert "depth over trip, a line: 300 thousand/s at 1" in alt and "gap: 4.4 million/s" in alt
    assert "both axes linear" in drawers.against(against()).alt


def test_ticks_whose_words_would_touch_are_left_out(tmp_path: Path) -> None:
    words = words_of(drawers.against(against()), tmp_path)
    assert "1/2000\n" in words and "1/100\n" in words and "1/20000" not in words


def test_a_model_above_the_panel_has_no_name_in_it(tmp_path: Path) -> None:
    data = depths()
    far = replace(data.models[0], y=tuple(map(estimate, (1e8, 2e8, 3e8))))
    assert "depth over trip" in words_of(drawers.against(data), tmp_path)
    assert "depth over trip" not in words_of(drawers.against(replace(data, models=(far,))), tmp_path)


def test_values_that_a_logarithmic_axis_cannot_show_are_refused() -> None:
    data = depths()
    none = replace(data.curves[0], y=tuple(map(estimate, (0.0, 1.0, 2.0))))
    with pytest.raises(FigureError, match="not above 0"):
        drawers.against(replace(data, curves=(none,)))
