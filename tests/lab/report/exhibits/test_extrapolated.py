"""Lines drawn back to 0 bytes: lab.report.exhibits.varied, lab.figures.extrapolated, from results/reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.lab.report.query.numbers_of import numbers_of

from lab.figures.figure import FigureError
from lab.report.exhibits.core import Exhibits, Gallery
from lab.report.exhibits.varied import LinePanel, extrapolated

LINES = ["up to 256000", "from 272000"]
JUMPS = [["512 MiB", 536870912.0], ["1 GiB", 1073741824.0]]


@pytest.fixture
def exhibits(tmp_path: Path) -> Exhibits:
    return Exhibits(numbers_of("mpi_bandwidth_latency"), Gallery(tmp_path))


def alt(exhibits: Exhibits, **panel: Any) -> str:
    exhibits.gallery.shown.clear()
    extrapolated(exhibits, "figure", "A finding.", "RTT/2", [LinePanel(title="times", look="card", **panel)])
    return exhibits.gallery.shown["figure"].alt.replace("\N{NO-BREAK SPACE}", " ")


def test_each_line_has_its_rate_and_what_it_predicts_for_0_bytes_as_a_table_prints_them(exhibits: Exhibits) -> None:
    told = alt(exhibits, times="card", lines=LINES, small="card.small", breaks=[["256 KiB", 262144.0]])
    assert "card.small 2.19 µs at 1 B" in told and "Break at 256 KiB." in told
    assert "Line up to 256 kB: 3.70 GB/s, 6.9 µs at 0 B." in told
    assert "Line from 272 kB: 5.93 GB/s, 10.8 µs at 0 B." in told
    intercept = exhibits.cell("card.intercept from 272000")
    assert intercept.startswith(r"\qty{10.8}{\micro\second}"), "one number has one rounding"


def test_near_0_bytes_the_lines_and_the_smallest_message_are_named(exhibits: Exhibits) -> None:
    alt(exhibits, times="card", lines=LINES, small="card.small", most=32_000)
    svg = exhibits.gallery.shown["figure"].svg.decode()
    for words in ("from 272 kB", "up to 256 kB", "1 B measured"):
        assert words.replace(" ", "") in svg.replace("\N{NO-BREAK SPACE}", "").replace(" ", ""), words


def test_published_times_are_drawn_less_their_line_where_its_jumps_are_seen(exhibits: Exhibits) -> None:
    pieces = ["up to 528000000", "at 544000000..1072000000", "from 1088000000"]
    told = alt(exhibits, times="report_c", lines=pieces, breaks=JUMPS, beyond=True)
    assert "Line 544 MB to 1.072 GB: 6.24 GB/s, 9.00 ms at 0 B." in told and "Break at 1 GiB." in told
    (panel,) = exhibits.gallery.sketches["figure"].data.panels
    assert len(panel.times.x) == 134 and max(abs(y.value) for y in panel.times.y) < 0.01
    below, between, above = panel.rays
    assert below.intercept_s < between.intercept_s < above.intercept_s and (below.low, above.high) == (16e6, 2144e6)


def test_a_line_that_the_data_do_not_give_is_left_out_and_no_times_are_no_figure(exhibits: Exhibits) -> None:
    assert "Line" not in alt(exhibits, times="tcp", lines=["up to 48000", "up to 4"])
    with pytest.raises(FigureError, match="without times"):
        alt(exhibits, times="nothing")
