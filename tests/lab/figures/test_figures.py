"""All kinds of figures: bytes, words, fonts and labels, also of bars in a terminal."""

import hashlib
import io
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from rich.console import Console
from tests.lab.figures.examples import EXAMPLES, LOOK, depths, effects, estimate, figure, path, sized

from lab.figures.curves import Sized
from lab.figures.figure import Curve, Figure
from lab.figures.marks import MINUS, number, plain, size
from lab.figures.plot import Canvas, decades, spread
from lab.figures.stacks import Stack, Stacks, bars
from lab.figures.style import style
from lab.report.exhibits.core import Drawable, render

SAMPLE = ("limits", "runs", "tails", "depths")
DIGEST = f"""
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from tests.lab.figures.examples import figure
for made in map(figure, {SAMPLE}):
    print(hashlib.sha256(b"".join(made)).hexdigest())
"""


def test_bytes_do_not_depend_on_process_folder_time_and_locale(tmp_path: Path) -> None:
    made = (figure(name) for name in SAMPLE)
    digests = [hashlib.sha256(b"".join(each)).hexdigest() for each in made]
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nfont.size: 30\n")
    elsewhere = {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1", "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-W", "ignore", "-c", DIGEST, str(Path(__file__).parents[3])]
    run = subprocess.run(command, cwd=tmp_path, env=os.environ | elsewhere, capture_output=True, text=True, check=True)
    assert run.stdout.split() == digests


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_kind_is_drawn_without_type_3_fonts(name: str) -> None:
    made = figure(name)
    assert made.pdf.startswith(b"%PDF") and made.png.startswith(b"\x89PNG")
    assert b"/Type3" not in made.pdf and b"CreationDate" not in made.pdf
    assert EXAMPLES[name].alt.endswith(".")


def drawn(data: Drawable) -> Canvas:
    canvas = Canvas()
    with style():
        data.draw(canvas)
    return canvas


@pytest.mark.parametrize("name", ["limits", "many", "queues", "ratios"])
def test_no_label_overlaps_another_or_is_cut(name: str) -> None:
    canvas = drawn(EXAMPLES[name])
    canvas.drawing.draw(canvas.renderer)
    texts = [text for panel in canvas.panels for text in [*panel.texts, panel.xaxis.label, panel.yaxis.label]]
    texts += [label for panel in canvas.panels for label in [*panel.get_xticklabels(), *panel.get_yticklabels()]]
    extents = [(text.get_text(), Text.get_window_extent(text, canvas.renderer)) for text in texts if text.get_text()]
    boxes = [(text, box.padded(-1)) for text, box in extents if box.width > 2]
    assert not [(a, b) for at, (a, box) in enumerate(boxes) for b, second in boxes[:at] if box.overlaps(second)]
    page = canvas.drawing.bbox
    assert not [text for text, box in boxes if box.x0 < 0 or box.x1 > page.x1 or box.y0 < 0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("limits", "verbs 250 kB/s at 1 B, 179 MB/s at 1 KiB, 599 MB/s at 1 MiB; tcp"),
        ("limits", "; link: 1.25 GB/s."),
        ("effects", "warm-up: 1 B 1.00 times with 1 in place of 100000, 4 KiB no difference."),
        ("rounds", f"card 3 rounds, from {MINUS}0.400 to 0 %; TCP 4 rounds, from {MINUS}3.00 to 9.00 %."),
        (
            "agreed",
            "rounds agreed by message size: card 6 of 6 at 1 B to 64 B; TCP 6 of 6 at 1 B to 4 B, ",
        ),
        ("agreed", "1 of 6 at 16 B, 0 of 6 at 64 B; MPI 10 of 10 at 1 B, 2 of 10 at 64 B."),
    ],
)
def test_alternative_text_has_the_main_numbers(name: str, words: str) -> None:
    assert words in plain(EXAMPLES[name].alt)


def one_value(value: float) -> Sized:
    return sized(Curve("verbs", (1.0,), (estimate(value, None),)))


@pytest.mark.parametrize(
    ("data", "what"),
    [
        *((one_value(value), "verbs at 1") for value in (0.0, -1.0, float("nan"), float("inf"))),
        (replace(depths(), curves=one_value(0.0).curves), "not above 0"),
        (replace(path(), bars=(("1 B", (-1e-9,) * 8),)), "more than the whole"),
    ],
)
def test_data_that_cannot_be_drawn_is_refused(data: Drawable, what: str) -> None:
    with pytest.raises(match=what):
        render(data)


def text_of(made: Figure, folder: Path) -> str:
    (folder / "figure.pdf").write_bytes(made.pdf)
    return subprocess.run(["pdftotext", folder / "figure.pdf", "-"], capture_output=True, text=True, check=True).stdout


def test_ticks_whose_labels_would_overlap_are_left_out(tmp_path: Path) -> None:
    text = text_of(figure("runs"), tmp_path)
    assert "1/2000\n" in text and "1/100\n" in text and "1/20000" not in text


def test_model_above_the_panel_has_no_name(tmp_path: Path) -> None:
    far = replace(depths().models[0], y=tuple(map(estimate, (1e8, 2e8, 3e8))))
    assert "depth over trip" in text_of(figure("depths"), tmp_path)
    assert "depth over trip" not in text_of(render(replace(depths(), models=(far,))), tmp_path)


def test_bar_without_a_difference_names_no_values() -> None:
    rows = tuple((name, bar[1:]) for name, bar in effects().rows[1:])
    svg = render(replace(effects(), rows=rows)).svg.decode()
    assert ">no difference<" in svg and ">16" not in svg and "in place of" not in svg


def test_stacks_of_a_size_share_a_scale_and_name_their_instructions() -> None:
    rdma = Stack("RDMA client", (("packets", 75.0), ("copies", -1.0), ("waiting", 25.0)))
    stacks = (rdma, Stack("TCP client", (("packets", 50.4),)))
    data = Stacks("causes", ((64.0, stacks),), ("packets", "copies", "waiting"), "waiting", "exact")
    (panel,) = drawn(data).panels
    widths = [patch.get_width() for patch in panel.patches if isinstance(patch, Rectangle)]
    assert widths == pytest.approx([0.75, 0, 0.25, 0.504, 0, 0])
    assert "64 B, RDMA client: 74 instructions, most for packets; 64 B, TCP client: 50 instructions" in data.alt


def test_ticks_are_round_or_evenly_spaced_and_labels_keep_their_distance() -> None:
    assert decades(1e3, 1e6) == [1e3, 1e4, 1e5, 1e6]
    assert decades(1.5e8, 6e8) == [2e8, 5e8] and decades(1.2e8, 2.6e8) == [1.5e8, 2e8, 2.5e8]
    assert spread([0.5, 0.5, 0.99], 0.1, 0.05, 0.95) == pytest.approx([0.5, 0.6, 0.95])


def test_numbers_have_three_digits_and_sizes_are_binary_unless_chosen_decimal() -> None:
    assert [number(value) for value in (0, 0.0012345, 12.345, -2.5)] == ["0", "0.00123", "12.3", f"{MINUS}2.50"]
    sizes = (1, 1023, 1024, 1.5 * 2**20, 16e6, 4087, 65_537, 4086.8)
    words = ["1 B", "1023 B", "1 KiB", "1.5 MiB", "16 MB", "4087 B", "65537 B", "3.991 KiB"]
    assert [plain(size(count)) for count in sizes] == words


WRITE = Curve("RDMA WRITE", (64.0, 1024.0), (estimate(25e6), estimate(1e9)), (), LOOK)
SEND = Curve("TCP [send]", (64.0, 1024.0, 16384.0), (estimate(50e6), estimate(500e6), estimate(2e9)), (), LOOK)


def lines_in_terminal(encoding: str = "utf-8", width: int = 80) -> list[str]:
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding=encoding, errors="strict", write_through=True) as file:
        Console(file=file, width=width).print(bars(Sized("", "", "rate", (WRITE, SEND))))
        return raw.getvalue().decode(encoding).splitlines()


def test_terminal_shows_a_bar_for_each_series_and_size() -> None:
    lines = lines_in_terminal()
    words = [re.sub("[\u2588-\u258f]", "", line).split() for line in lines]
    assert words[0] == ["64", "B", "RDMA", "WRITE", "25", "MB/s"]
    assert words[-1] == ["16", "KiB", "TCP", "[send]", "2", "GB/s"]
    lengths = [line.count("█") for line in lines]
    assert lengths[4] > 40 and [round(length * 40 / lengths[4]) for length in lengths[:4]] == [0, 1, 20, 10]


@pytest.mark.parametrize("width", [80, 50, 120])
def test_terminal_lines_fit_its_width(width: int) -> None:
    lines = lines_in_terminal(width=width)
    assert len(lines) == 5 and all(len(line) <= width and line.isprintable() for line in lines)


def test_terminal_without_block_characters_shows_letters() -> None:
    lines = lines_in_terminal(encoding="ascii")
    assert [round(line.count("#") * 40 / lines[4].count("#")) for line in lines[:4]] == [1, 1, 20, 10]
