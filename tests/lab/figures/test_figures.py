"""All kinds of figures, their bytes, words, fonts and labels: lab.figures.*."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from tests.lab.figures.examples import EXAMPLES, estimate, figure, limits, many, ratios, sized

from lab.figures import drawers
from lab.figures.curves import decades
from lab.figures.inputs import Curve, FigureError, Sized, Stack, Stacks
from lab.figures.marks import number, plain, size
from lab.figures.plot import Plot, renderer_of, spread
from lab.figures.stacks import draw_stacks

DIGEST = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from tests.lab.figures.examples import EXAMPLES, figure
for name in ("limits", "runs", "slow ones"):
    made = figure(name)
    print(hashlib.sha256(made.pdf + made.png + made.svg + made.alt.encode()).hexdigest())
"""


def digests_in(folder: Path, environment: dict[str, str]) -> str:
    command = [sys.executable, "-W", "ignore", "-c", DIGEST, str(Path(__file__).parents[3])]
    run = subprocess.run(command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=True)
    return run.stdout


def test_other_process_folder_time_and_locale_give_the_same_bytes(tmp_path: Path) -> None:
    made = [figure(name) for name in ("limits", "runs", "slow ones")]
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


@pytest.mark.parametrize("make", [limits, many, ratios])
def test_no_label_lies_on_another_or_is_cut(make: Callable[[], Sized], monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Plot] = []
    monkeypatch.setattr("lab.figures.curves.finish", drawn.append)
    drawers.sized(make())
    assert overlaps(drawn[0]) == []


def test_words_tell_the_first_the_middle_and_the_last_value_of_a_curve() -> None:
    y = (estimate(2.0e6), estimate(2.0e9), estimate(1.0e9))
    made = drawers.sized(sized(Curve("verbs", (1.0, 64.0, 4096.0), y, ("a", "b"))))
    assert "verbs 2 MB/s at 1 B, 2 GB/s at 64 B, 1 GB/s at 4 KiB" in plain(made.alt)
    assert made.keys == ("a", "b")


def test_an_axis_has_ticks_at_round_numbers_or_evenly_spaced_where_those_are_too_few() -> None:
    assert decades(1e3, 1e6) == [1e3, 1e4, 1e5, 1e6]
    assert decades(1.5e8, 6e8) == [2e8, 5e8] and decades(1.2e8, 2.6e8) == [1.5e8, 2e8, 2.5e8]


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_value_that_no_logarithmic_axis_shows_is_refused(value: float) -> None:
    with pytest.raises(FigureError, match="verbs at 1"):
        drawers.sized(sized(Curve("verbs", (1.0,), (estimate(value, None),))))


def test_empty_figure_is_refused() -> None:
    with pytest.raises(FigureError, match="without a series"):
        drawers.sized(sized())


def test_labels_keep_their_distance_and_their_order() -> None:
    assert spread([0.5, 0.5, 0.99], 0.1, 0.05, 0.95) == pytest.approx([0.5, 0.6, 0.95])


def test_numbers_have_three_digits_and_sizes_are_binary_unless_chosen_decimal() -> None:
    assert [number(value) for value in (0, 0.0012345, 12.345, -2.5)] == ["0", "0.00123", "12.3", "\N{MINUS SIGN}2.50"]
    sizes = (1, 1023, 1024, 1.5 * 2**20, 16e6, 4087, 65_537, 4086.8)
    said = ["1 B", "1023 B", "1 KiB", "1.5 MiB", "16 MB", "4087 B", "65537 B", "3.991 KiB"]
    assert [size(count).replace("\N{NO-BREAK SPACE}", " ") for count in sizes] == said


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
