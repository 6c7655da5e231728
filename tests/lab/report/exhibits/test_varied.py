"""Figures of varied values and of lines extrapolated to 0 bytes, from results/reference."""

from collections.abc import Callable
from typing import Any

import pytest

from lab.figures.marks import plain
from lab.report.errors import ReportError
from lab.report.exhibits.core import ABSENT, Exhibits, render
from lab.report.exhibits.varied import Found, LinePanel, against, effect, extrapolated, multiples_against, tornado

ROWS = [["warm-up", "warmup.card[{x}]"], ["nothing", "depht.card[{x}]"], ["depth", "depth.card[{x}]"]]
AXES = ("{x}", "depth", "messages a second")
LINES = ["up to 256000", "from 272000"]
CURVES = [["depth.card[{x}].messages at 1", "1 B"], ["depth.card[{x}].messages at 4K", "4 KiB"]]


@pytest.fixture
def varied(exhibits_of: Callable[[str], Exhibits]) -> Exhibits:
    return exhibits_of("write_parameters")


@pytest.mark.parametrize(
    ("pattern", "size", "enough", "gain"),
    [
        ("depth.card[{x}]", "1", "16", "11.0"),
        ("depth.card[{x}]", "4K", "16", "4.19"),
        ("inline.card[{x}, 1]", "1", "1024", "1.17"),
        ("inline.card[{x}, 128]", "1K", "0", "4.39"),
        ("lists.card[1, {x}]", "1", "64", "1.31"),
        ("warmup.card[{x}]", "1K", "0", "1.00"),
    ],
)
def test_effect_is_the_gain_of_the_best_value_and_names_the_smallest_one_as_good(
    varied: Exhibits, pattern: str, size: str, enough: str, gain: str
) -> None:
    answer = effect(varied, pattern, size)
    assert enough == answer.enough.removeprefix(r"\labnum{").removesuffix("}")
    assert answer.gain.startswith(rf"\labnum{{{gain}}}")


@pytest.mark.parametrize("pattern", ["depht.card[{x}]", "card[{x}]", "depth.card[16]", "lists.card[{x}]"])
def test_pattern_without_a_varied_value_has_no_effect(varied: Exhibits, pattern: str) -> None:
    assert effect(varied, pattern, "1") == Found(ABSENT, ABSENT)


def test_tornado_has_the_largest_effect_first_and_leaves_out_constant_parameters(varied: Exhibits) -> None:
    text = tornado(varied, "effects", "The depth matters most.", ROWS, ["1", "4K"])
    assert r"\label{figure:effects}" in text
    alt = plain(varied.gallery["effects"].data.alt)
    assert "size: depth: 1 B 11.0 times with 16 in place of 1, 4 KiB 4.19 times with 16 in place of 1; warm-up:" in alt
    assert "1 B no difference" in alt and "nothing" not in alt
    with pytest.raises(ReportError, match="the data give no effect of nothing"):
        tornado(varied, "nothing", "No parameter.", [["none", "nothing[{x}]"]], ["1"])


def test_figure_against_a_varied_value_shows_models_and_limits_that_have_data(varied: Exhibits) -> None:
    models = [["{x} / (depth.card[1].time at 1)", "depth over round trip"], ["{x} / nothing", "unknown"]]
    limits = [["1 / qdr.gap", "gap"], ["1 / fdr.gap", "gap of another card"]]
    against(varied, "depth", "The rate follows.", AXES, [*CURVES, ["nothing[{x}] at 1", "1 KiB"]], models, limits)
    alt = plain(varied.gallery["depth"].data.alt)
    assert "1 B 303 thousand/s at 1, 1.21 million/s at 4, 3.32 million/s at 16" in alt
    assert "depth over round trip, a line: 303 thousand/s at 1" in alt and "gap: 4.38 million/s" in alt
    assert not [word for word in ("1 KiB", "unknown", "another card") if word in alt]


def test_figure_against_another_query_is_in_the_order_of_its_x(varied: Exhibits) -> None:
    axes = ("1 / {x}", "1/n", "time per message")
    against(varied, "runs", "A line.", axes, [["iterations.card[{x}].whole.time at 1", "1 B"]], linear=True)
    data = varied.gallery["runs"].data
    assert data.curves[0].x == (1 / 20000, 1 / 2000, 1 / 100)
    assert "both axes linear: 1 B 301 ns at 1/20000, 307 ns at 1/2000, 427 ns at 1/100" in plain(
        varied.gallery["runs"].data.alt
    )


def test_small_panels_against_a_varied_value_have_their_own_kinds_and_ticks(varied: Exhibits) -> None:
    rows = [
        ("messages", [[["depth.card[{x}].messages at 1", "1 B"], ["nothing[{x}] at 1", "1 KiB"]]]),
        ("throughput", [[["depth.card[{x}] at 4K", "4 KiB"]]]),
    ]
    multiples_against(varied, "depths", "A finding.", ["card"], "depth", rows)
    alt = plain(varied.gallery["depths"].data.alt)
    assert alt.startswith("Against depth, in 2 panels. messages, card: 1 B 303 thousand/s at 1, 3.32 million/s at 16")
    assert "throughput, card: 4 KiB" in alt and "GB/s at 512" in alt and "1 KiB" not in alt
    with pytest.raises(ReportError, match="no curve of empty"):
        multiples_against(varied, "empty", "Nothing.", ["card"], "depth", [("time", [[["no[{x}] at 1", "1 B"]]])])


@pytest.fixture
def exhibits(exhibits_of: Callable[[str], Exhibits]) -> Exhibits:
    return exhibits_of("mpi_bandwidth_latency")


def alt(exhibits: Exhibits, **panel: Any) -> str:
    extrapolated(exhibits, "figure", "A finding.", "RTT/2", [LinePanel(title="times", look="card", **panel)])
    return plain(exhibits.gallery["figure"].data.alt)


def test_line_has_its_rate_and_its_time_at_0_bytes_as_a_table_prints_them(exhibits: Exhibits) -> None:
    words = alt(exhibits, times="card", lines=LINES, small="card.small", breaks=[["256 KiB", 262144.0]])
    assert "card.small 2.19 µs at 1 B" in words and "Break at 256 KiB." in words
    assert "Line up to 256 kB: 3.71 GB/s, 7.0 µs at 0 B." in words
    assert "Line from 272 kB: 5.94 GB/s, 11.1 µs at 0 B." in words
    intercept = exhibits.cell("card.intercept from 272000")
    assert intercept.startswith(r"\qty{11.1}{\micro\second}"), "one number has one rounding"


def test_lines_and_the_smallest_message_have_names_near_0_bytes(exhibits: Exhibits) -> None:
    alt(exhibits, times="card", lines=LINES, small="card.small", most=32_000)
    svg = render(exhibits.gallery["figure"].data).svg.decode()
    for name in ("from 272 kB", "up to 256 kB", "1 B measured"):
        assert name.replace(" ", "") in plain(svg).replace(" ", ""), name


def test_published_times_may_be_drawn_less_the_line_through_all_of_them(exhibits: Exhibits) -> None:
    lines = ["up to 528000000", "at 544000000..1072000000", "from 1088000000"]
    breaks = [["512 MiB", 536870912.0], ["1 GiB", 1073741824.0]]
    words = alt(exhibits, times="report_c", lines=lines, breaks=breaks, beyond=True)
    assert "Line 544 MB to 1.072 GB: 6.24 GB/s, 9.00 ms at 0 B." in words and "Break at 1 GiB." in words
    (panel,) = exhibits.gallery["figure"].data.panels
    assert len(panel.times.x) == 134 and max(abs(y.value) for y in panel.times.y) < 0.01
    below, between, above = panel.rays
    assert below.intercept_s < between.intercept_s < above.intercept_s and (below.low, above.high) == (16e6, 2144e6)


def test_line_without_data_is_left_out_and_a_figure_needs_times(exhibits: Exhibits) -> None:
    assert "Line" not in alt(exhibits, times="tcp", lines=["up to 48000", "up to 4"])
    with pytest.raises(ReportError, match="no times of nothing"):
        alt(exhibits, times="nothing")
