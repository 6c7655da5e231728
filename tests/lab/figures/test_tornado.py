"""Effects of parameters, a bar for each size: lab.figures.dots."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.lab.figures.examples import effects

from lab.figures import drawers
from lab.figures.inputs import FigureError
from lab.figures.marks import plain


def test_its_words_name_both_values_and_the_gain_or_the_doubt_of_every_bar() -> None:
    made = drawers.tornado(effects())
    alt = plain(made.alt)
    assert "depth: 1 B 10.4 times with 1 in place of 100000, 4 KiB 10.4 times with 16 in place of 0;" in alt
    assert "warm-up: 1 B 1.00 times with 1 in place of 100000, 4 KiB no difference." in alt
    assert made.keys == ("k",) and "95 % intervals" in plain(made.n)


def test_a_bar_without_a_difference_names_no_values() -> None:
    rows = tuple((name, bars[1:]) for name, bars in effects().rows[1:])
    svg = drawers.tornado(replace(effects(), rows=rows)).svg.decode()
    assert ">no difference<" in svg and ">16" not in svg and "in place of" not in svg


def test_a_figure_without_a_parameter_is_refused() -> None:
    with pytest.raises(FigureError, match="without a parameter"):
        drawers.tornado(replace(effects(), rows=()))
