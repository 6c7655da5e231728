"""All kinds of figures, their bytes, words, fonts and labels: lab.figures.*."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from tests.lab.figures.examples import (
    EXAMPLES,
    SIZES,
    beside,
    estimate,
    figure,
    heat,
    limits,
    many,
    ratios,
    two_lines,
)

from lab.analysis.ceiling import tcp_limit, write_limit
from lab.figures import BySize, Curve, FigureError, HeatMap, Stack, Stacks
from lab.figures.by_size import draw_by_size
from lab.figures.curves import marks
from lab.figures.drawers import fit, published, throughput
from lab.figures.fit import draw_fit
from lab.figures.heat_map import draw_heat_map
from lab.figures.labels import spread
from lab.figures.marks import GREY, OTHERS, RDMA, TCP, mark
from lab.figures.plot import Plot, renderer_of
from lab.figures.ratios import draw_ratios
from lab.figures.stacks import draw_stacks
from lab.figures.words import number, size

DIGEST = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from tests.lab.figures.examples import EXAMPLES, figure
for name in ("limits", "heat", "line"):
    made = figure(name)
    print(hashlib.sha256(made.pdf + made.png + made.svg + made.alt.encode()).hexdigest())
"""


def digests_in(folder: Path, environment: dict[str, str]) -> str:
    command = [sys.executable, "-W", "ignore", "-c", DIGEST, str(Path(__file__).parents[3])]
    run = subprocess.run(command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=True)
    return run.stdout


def test_other_process_folder_time_and_locale_give_the_same_bytes(tmp_path: Path) -> None:
    made = [figure(name) for name in ("limits", "heat", "line")]
    whole = (each.pdf + each.png + each.svg + each.alt.encode() for each in made)
    here = "".join(hashlib.sha256(each).hexdigest() + "\n" for each in whole)
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nfont.size: 30\n")
    elsewhere = {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1", "TMPDIR": str(tmp_path)}
    assert digests_in(tmp_path, elsewhere) == here


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_kind_prints_hostile_inputs_without_type_3_fonts(name: str) -> None:
    made = figure(name)
    assert made.pdf.startswith(b"%PDF") and made.png.startswith(b"\x89PNG")
    assert b"/Type3" not in made.pdf and b"CreationDate" not in made.pdf
    assert made.alt.endswith(".") and made.n.startswith("n = ")


def overlaps(plot: Plot) -> list[tuple[str, str]]:
    """Pairs of texts that lie on each other, and texts outside of the drawing."""
    renderer = renderer_of(plot.drawing)
    plot.drawing.draw(renderer)
    texts = [text for panel in plot.panels for text in [*panel.texts, panel.xaxis.label, panel.yaxis.label]]
    texts += [label for panel in plot.panels for label in [*panel.get_xticklabels(), *panel.get_yticklabels()]]
    shown = [(text.get_text(), Text.get_window_extent(text, renderer)) for text in texts if text.get_text()]
    boxes = [(text, box.padded(-1)) for text, box in shown if box.width > 2]
    found = [(a, b) for place, (a, one) in enumerate(boxes) for b, two in boxes[:place] if one.overlaps(two)]
    page = plot.drawing.bbox
    return found + [(text, "edge") for text, box in boxes if box.x0 < 0 or box.x1 > page.x1 or box.y0 < 0]


def test_no_label_lies_on_another_or_is_cut() -> None:
    for data in (limits(), beside(), many()):
        assert overlaps(draw_by_size(data, "throughput")) == []
    assert overlaps(draw_ratios(ratios(), "speed-up over TCP")) == []


def test_drawn_values_are_the_estimates() -> None:
    data = limits()
    (panel,) = draw_by_size(data, "throughput").panels
    lines = {str(line.get_label()): line for line in panel.lines}
    for curve in data.curves:
        drawn = [float(value) for value in lines[curve.label].get_ydata()]  # type: ignore[arg-type, union-attr]
        assert drawn == [each.value / data.unit.size for each in curve.y]


def test_heat_map_holds_its_cells() -> None:
    data = heat()
    drawn = draw_heat_map(data).panels[0].images[0].get_array()
    assert drawn is not None
    found = [None if value != value else float(value) for value in np.ma.filled(drawn, np.nan).ravel()]
    assert found == [each and each.value / data.unit.size for row in data.cells for each in row]


def test_alternative_text_tells_the_values_at_both_ends_and_the_extremes_without_a_place() -> None:
    y = (estimate(2.0**20), estimate(2.0**30), estimate(2.0**29))
    made = throughput(BySize("few", (Curve("verbs", (1.0, 64.0, 4096.0), y, ("a", "b")),), "exact"))
    assert "verbs: 1.00 (0.960 to 1.04) MiB/s at 1" in made.alt
    assert made.alt.endswith("most 1.00 (0.960 to 1.04) GiB/s.") and "MiB/s at 4" in made.alt
    assert made.keys == ("a", "b")


def test_speed_up_names_base_and_link() -> None:
    plot = draw_ratios(ratios(), "speed-up over TCP")
    assert plot.panels[0].get_ylabel() == "speed-up over TCP"
    assert "veth, MTU 4200" in plot.panels[0].get_title(loc="left")
    assert "over TCP" in plot.alt


def test_twenty_series_differ_without_colour() -> None:
    assert len({(str(look.dashes), look.marker) for look in map(mark, range(36))}) == 36


def test_another_machine_is_marked_and_asked_for() -> None:
    assert "verbs_a (published, 2019)" in published(beside()).alt
    with pytest.raises(FigureError, match="of another"):
        published(limits())


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_value_that_no_logarithmic_axis_shows_is_refused(value: float) -> None:
    with pytest.raises(FigureError, match="verbs at 1"):
        throughput(BySize("bad", (Curve("verbs", (1.0,), (estimate(value, None),)),), "exact"))


def test_empty_figure_is_refused() -> None:
    with pytest.raises(FigureError, match="without a series"):
        throughput(BySize("empty", (), "exact"))
    with pytest.raises(FigureError, match="without a cell"):
        draw_heat_map(HeatMap("empty", "a", (1.0,), "b", (1.0,), ((None,),), "exact"))


def test_ceilings_follow_from_the_frames() -> None:
    assert tcp_limit((1.0,), 1e9, 1500).y[0] == pytest.approx(125e6 * 1448 / 1538)
    assert write_limit((1.0, 4096.0), 1e10, 4200).y == pytest.approx((1.25e9 / 99, 1.25e9 * 4096 / 4194))
    assert max(write_limit(SIZES, 1e10, 4200).y) < 1.25e9


def test_labels_keep_their_distance_and_their_order() -> None:
    assert spread([0.5, 0.5, 0.99], 0.1, 0.05, 0.95) == pytest.approx([0.5, 0.6, 0.95])


def test_numbers_have_three_digits_and_sizes_are_binary_unless_chosen_decimal() -> None:
    assert [number(value) for value in (0, 0.0012345, 12.345, -2.5)] == ["0", "0.00123", "12.3", "\N{MINUS SIGN}2.50"]
    sizes = (1, 1023, 1024, 1.5 * 2**20, 16e6, 4087, 65_537, 4086.8)
    said = ["1 B", "1023 B", "1 KiB", "1.5 MiB", "16 MB", "4087 B", "65537 B", "3.991 KiB"]
    assert [size(count).replace("\N{NO-BREAK SPACE}", " ") for count in sizes] == said


def test_two_lines_are_drawn_where_one_does_not_do_and_the_one_stays_to_be_seen() -> None:
    upper = draw_fit(two_lines()).panels[0]
    assert [str(each.get_label()) for each in upper.lines][:3] == ["MPI over verbs", "one line", "two lines"]
    assert [each.get_linestyle() for each in upper.lines][1:] == [":", "-", "-"]
    made = fit(two_lines())
    assert "two lines, break at 260" in made.alt.replace("\N{NO-BREAK SPACE}", " ")
    assert made.alt.count("1/slope") == 2 and "n = 6 repetitions of 67 times each" in made.n


def test_a_transports_colour_is_kept_and_no_other_series_takes_it() -> None:
    def named(label: str, colour: str = "", machine: str = "") -> Curve:
        return Curve(label, (1.0,), (estimate(1.0),), machine=machine, colour=colour)

    looks = marks([named("own"), named("TCP", TCP), named("RDMA", RDMA), named("theirs", machine="another")])
    assert [each.colour for each in looks[1:]] == [TCP, RDMA, GREY] and looks[0].colour in OTHERS
    assert marks([named("own")])[0].colour == mark(0).colour


def test_bars_of_a_size_share_its_scale_and_say_their_instructions() -> None:
    rdma = Stack("RDMA client", (("packets", 75.0), ("copies", -1.0), ("waiting", 25.0)), 75.0)
    bars = (rdma, Stack("TCP client", (("packets", 50.4),), 50.4))
    plot = draw_stacks(Stacks("causes", ((64.0, bars),), ("packets", "copies", "waiting"), "waiting", "exact"))
    (panel,) = plot.panels
    widths = [patch.get_width() for patch in panel.patches if isinstance(patch, Rectangle)]
    assert widths == pytest.approx([0.75, 0, 0.25, 0.504, 0, 0])
    assert "64 B, RDMA client: 75 instructions, most for packets; 64 B, TCP client: 50 instructions" in plot.alt


def test_a_bar_without_length_is_refused() -> None:
    empty = Stack("RDMA client", (("packets", 0.0),), 0.0)
    for groups in ((), ((64.0, (empty,)),)):
        with pytest.raises(FigureError, match="bar"):
            draw_stacks(Stacks("causes", groups, ("packets",), "waiting", "exact"))
