"""What a template asks for about varied values: lab.report.exhibits.varied, from results/reference."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.report.query.numbers_of import numbers_of

from lab.figures.marks import plain
from lab.report.errors import ReportError
from lab.report.exhibits.core import Exhibits, Gallery
from lab.report.exhibits.varied import Varied

ROWS = [["warm-up", "warmup.card[{x}]"], ["nothing", "depht.card[{x}]"], ["depth", "depth.card[{x}]"]]
AXES = ("{x}", "depth", "messages a second")
CURVES = [["depth.card[{x}].messages at 1", "1 B"], ["depth.card[{x}].messages at 4K", "4 KiB"]]


@pytest.fixture
def varied(tmp_path: Path) -> Varied:
    return Varied(Exhibits(numbers_of("write_parameters"), Gallery(tmp_path)))


@pytest.mark.parametrize(
    ("pattern", "size", "enough", "gain"),
    [
        ("depth.card[{x}]", "1", "16", "10.5"),
        ("depth.card[{x}]", "4K", "16", "4.17"),
        ("inline.card[{x}, 1]", "1", "1024", "1.17"),
        ("inline.card[{x}, 128]", "1K", "0", "4.19"),
        ("lists.card[1, {x}]", "1", "64", "1.34"),
        ("warmup.card[{x}]", "1K", "0", "1.00"),
    ],
)
def test_an_effect_is_the_best_value_over_the_worst_and_names_the_smallest_that_is_as_good(
    varied: Varied, pattern: str, size: str, enough: str, gain: str
) -> None:
    effect = varied.effect(pattern, size)
    assert enough == effect.enough.removeprefix(r"\labnum{").removesuffix("}")
    assert effect.gain.startswith(rf"\labnum{{{gain}}}")


@pytest.mark.parametrize("pattern", ["depht.card[{x}]", "card[{x}]", "depth.card[16]", "lists.card[{x}]"])
def test_what_varies_no_such_value_has_no_effect(varied: Varied, pattern: str) -> None:
    effect = varied.effect(pattern, "1")
    assert (effect.enough, effect.gain) == ("--", "--")


def test_a_tornado_has_the_largest_effect_first_and_leaves_out_what_was_not_varied(varied: Varied) -> None:
    text = varied.tornado("effects", "The depth matters most.", ROWS, ["1", "4K"])
    assert r"\label{figure:effects}" in text
    alt = plain(varied.exhibits.gallery.shown["effects"].alt)
    assert "size: depth: 1 B 10.5 times with 16 in place of 1, 4 KiB 4.17 times with 16 in place of 1; warm-up:" in alt
    assert "1 B no difference" in alt and "nothing" not in alt
    assert varied.exhibits.gallery.shown["effects"].keys


def test_a_figure_against_a_varied_value_shows_models_and_limits_that_the_data_answer(varied: Varied) -> None:
    models = [["{x} / (depth.card[1].time at 1)", "depth over round trip"], ["{x} / nothing", "unknown"]]
    limits = [["1 / qdr.gap", "gap"], ["1 / fdr.gap", "gap of another card"]]
    varied.against("depth", "The rate follows.", AXES, [*CURVES, ["nothing[{x}] at 1", "1 KiB"]], models, limits)
    alt = plain(varied.exhibits.gallery.shown["depth"].alt)
    assert "1 B 301 thousand/s at 1, 1.21 million/s at 4, 3.16 million/s at 16" in alt
    assert "depth over round trip, a line: 301 thousand/s at 1" in alt and "gap: 4.38 million/s" in alt
    assert not [word for word in ("1 KiB", "unknown", "another card") if word in alt]


def test_a_figure_against_another_query_is_in_the_order_of_its_x(varied: Varied) -> None:
    axes = ("1 / {x}", "1/n", "time per message")
    varied.against("runs", "A line.", axes, [["iterations.card[{x}].whole.time at 1", "1 B"]], linear=True)
    data = varied.exhibits.gallery.sketches["runs"].data
    assert data.curves[0].x == (1 / 20000, 1 / 2000, 1 / 100)
    assert "both axes linear: 1 B 316 ns at 1/20000, 321 ns at 1/2000, 435 ns at 1/100" in plain(
        varied.exhibits.gallery.shown["runs"].alt
    )


def test_a_figure_without_data_or_with_a_long_caption_is_refused(varied: Varied) -> None:
    with pytest.raises(ReportError, match="no curve of empty"):
        varied.against("empty", "Nothing.", AXES, [["nothing[{x}] at 1", "1 B"]])
    with pytest.raises(ReportError, match="a caption of 31 words"):
        varied.against("long", "word " * 31, AXES, CURVES)
