"""All kinds of figures, their bytes, words, fonts and labels: lab.figures.*."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from tests.lab.figures.examples import EXAMPLES, depths, effects, estimate, figure, path, rounds, sized

from lab.figures.figure import Curve, Figure, FigureError
from lab.figures.marks import MINUS, number, plain, size
from lab.figures.plot import Canvas, decades, spread
from lab.figures.render import Drawable, render
from lab.figures.stacks import Stack, Stacks
from lab.figures.style import style

SAMPLE = ("limits", "runs", "slow ones")
DIGEST = f"""
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from tests.lab.figures.examples import figure
for name in {SAMPLE}:
    made = figure(name)
    print(hashlib.sha256(made.pdf + made.png + made.svg + made.alt.encode()).hexdigest())
"""
NO_STACK = Stacks(
    "causes", ((64.0, (Stack("RDMA client", (("packets", 0.0),), 0.0),)),), ("packets",), "waiting", "exact"
)


def one_value(value: float) -> Drawable:
    return sized(Curve("verbs", (1.0,), (estimate(value, None),)))


def test_another_process_folder_time_and_locale_give_the_same_bytes(tmp_path: Path) -> None:
    made = map(figure, SAMPLE)
    whole = (each.pdf + each.png + each.svg + each.alt.encode() for each in made)
    here = "".join(hashlib.sha256(each).hexdigest() + "\n" for each in whole)
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nfont.size: 30\n")
    elsewhere = {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1", "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-W", "ignore", "-c", DIGEST, str(Path(__file__).parents[3])]
    run = subprocess.run(command, cwd=tmp_path, env=os.environ | elsewhere, capture_output=True, text=True, check=True)
    assert run.stdout == here


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_kind_prints_hostile_inputs_without_type_3_fonts(name: str) -> None:
    made = figure(name)
    assert made.pdf.startswith(b"%PDF") and made.png.startswith(b"\x89PNG")
    assert b"/Type3" not in made.pdf and b"CreationDate" not in made.pdf
    assert made.alt.endswith(".") and made.n.startswith(("n = ", "one repetition"))


def drawn(data: Drawable) -> Canvas:
    canvas = Canvas()
    with style():
        data.draw(canvas)
    return canvas


@pytest.mark.parametrize("name", ["limits", "many", "ratios"])
def test_no_label_lies_on_another_or_is_cut(name: str) -> None:
    canvas = drawn(EXAMPLES[name]())
    canvas.drawing.draw(canvas.renderer)
    texts = [text for panel in canvas.panels for text in [*panel.texts, panel.xaxis.label, panel.yaxis.label]]
    texts += [label for panel in canvas.panels for label in [*panel.get_xticklabels(), *panel.get_yticklabels()]]
    shown = [(text.get_text(), Text.get_window_extent(text, canvas.renderer)) for text in texts if text.get_text()]
    boxes = [(text, box.padded(-1)) for text, box in shown if box.width > 2]
    assert not [(a, b) for at, (a, one) in enumerate(boxes) for b, two in boxes[:at] if one.overlaps(two)]
    page = canvas.drawing.bbox
    assert not [text for text, box in boxes if box.x0 < 0 or box.x1 > page.x1 or box.y0 < 0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("limits", "verbs 250 kB/s at 1 B, 179 MB/s at 1 KiB, 599 MB/s at 1 MiB; tcp"),
        ("limits", "; link: 1.25 GB/s."),
        ("effects", "depth: 1 B 10.4 times with 1 in place of 100000, 4 KiB 10.4 times with 16 in place of 0;"),
        ("effects", "warm-up: 1 B 1.00 times with 1 in place of 100000, 4 KiB no difference."),
        ("depths", "1 B 300 thousand/s at 1, 1.2 million/s at 4, 3.1 million/s at 16"),
        ("depths", "depth over trip, a line: 300 thousand/s at 1, 1.2 million/s at 4, 4.8 million/s at 16; gap: 4.4 m"),
        ("runs", "both axes linear"),
        ("rounds", f"card 3 rounds, from {MINUS}0.400 to 0 %; TCP 4 rounds, from {MINUS}3.00 to 9.00 %."),
        ("rounds", "The rule asks for 1%."),
        ("agreed", "Repetitions that agreed by message size: card 6 of 6 at 1 B to 64 B; TCP 6 of 6 at 1 B to 4 B, "),
        ("agreed", "1 of 6 at 16 B, 0 of 6 at 64 B; MPI 10 of 10 at 1 B, 2 of 10 at 64 B."),
    ],
)
def test_the_words_of_a_figure_have_its_main_numbers(name: str, words: str) -> None:
    assert words in plain(figure(name).alt)


def test_a_figure_names_its_records_and_its_n() -> None:
    assert figure("agreed").keys == ("key-card", "key-TCP", "key-MPI")
    assert figure("effects").keys == ("k",) and "95 % intervals" in plain(figure("effects").n)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (sized(), "without a series"),
        *((one_value(value), "verbs at 1") for value in (0.0, -1.0, float("nan"), float("inf"))),
        (replace(depths(), curves=one_value(0.0).curves), "not above 0"),  # type: ignore[attr-defined]
        (replace(effects(), rows=()), "without a parameter"),
        (replace(rounds(), curves=(Curve("card", (), ()),)), "has 0 x"),
        (NO_STACK, "a bar that is not above 0"),
        (replace(NO_STACK, groups=()), "without a bar"),
        (replace(path(), bars=(("1 B", (-1e-9,) * 8),)), "more than the whole"),
    ],
)
def test_data_that_cannot_be_shown_are_refused(data: Drawable, what: str) -> None:
    with pytest.raises(FigureError, match=what):
        render(data)


def words_in(made: Figure, folder: Path) -> str:
    (folder / "figure.pdf").write_bytes(made.pdf)
    return subprocess.run(["pdftotext", folder / "figure.pdf", "-"], capture_output=True, text=True, check=True).stdout


def test_ticks_whose_words_would_touch_are_left_out(tmp_path: Path) -> None:
    words = words_in(figure("runs"), tmp_path)
    assert "1/2000\n" in words and "1/100\n" in words and "1/20000" not in words


def test_a_model_above_the_panel_has_no_name_in_it(tmp_path: Path) -> None:
    far = replace(depths().models[0], y=tuple(map(estimate, (1e8, 2e8, 3e8))))
    assert "depth over trip" in words_in(figure("depths"), tmp_path)
    assert "depth over trip" not in words_in(render(replace(depths(), models=(far,))), tmp_path)


def test_a_bar_without_a_difference_names_no_values() -> None:
    rows = tuple((name, bars[1:]) for name, bars in effects().rows[1:])
    svg = render(replace(effects(), rows=rows)).svg.decode()
    assert ">no difference<" in svg and ">16" not in svg and "in place of" not in svg


def test_stacks_of_a_size_share_its_scale_and_name_their_instructions() -> None:
    rdma = Stack("RDMA client", (("packets", 75.0), ("copies", -1.0), ("waiting", 25.0)), 75.0)
    stacks = (rdma, Stack("TCP client", (("packets", 50.4),), 50.4))
    data = Stacks("causes", ((64.0, stacks),), ("packets", "copies", "waiting"), "waiting", "exact")
    (panel,) = drawn(data).panels
    widths = [patch.get_width() for patch in panel.patches if isinstance(patch, Rectangle)]
    assert widths == pytest.approx([0.75, 0, 0.25, 0.504, 0, 0])
    assert "64 B, RDMA client: 75 instructions, most for packets; 64 B, TCP client: 50 instructions" in data.alt


def test_an_axis_has_ticks_at_round_numbers_or_evenly_spaced_where_those_are_too_few() -> None:
    assert decades(1e3, 1e6) == [1e3, 1e4, 1e5, 1e6]
    assert decades(1.5e8, 6e8) == [2e8, 5e8] and decades(1.2e8, 2.6e8) == [1.5e8, 2e8, 2.5e8]


def test_labels_keep_their_distance_and_their_order() -> None:
    assert spread([0.5, 0.5, 0.99], 0.1, 0.05, 0.95) == pytest.approx([0.5, 0.6, 0.95])


def test_numbers_have_three_digits_and_sizes_are_binary_unless_chosen_decimal() -> None:
    assert [number(value) for value in (0, 0.0012345, 12.345, -2.5)] == ["0", "0.00123", "12.3", f"{MINUS}2.50"]
    sizes = (1, 1023, 1024, 1.5 * 2**20, 16e6, 4087, 65_537, 4086.8)
    words = ["1 B", "1023 B", "1 KiB", "1.5 MiB", "16 MB", "4087 B", "65537 B", "3.991 KiB"]
    assert [plain(size(count)) for count in sizes] == words
