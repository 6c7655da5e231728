"""Numbers with their units, as a report prints them."""

import subprocess
from pathlib import Path

import pytest

from lab.analysis.estimate import Estimate, Interval
from lab.places import TEMPLATES
from lab.report.tex.latex import compile_pdf
from lab.report.tex.numbers import UNITS, in_words, last_place, show, show_exactly, significant, written_out


@pytest.mark.parametrize(
    ("low", "high", "last"), [(1230, 1240, 0), (1200, 1270, 1), (1234.8, 1235.2, 0), (235, 2235, 3), (1235, 1235, 0)]
)
def test_number_has_digits_as_far_as_its_interval(low: float, high: float, last: int) -> None:
    assert last_place(Estimate((low + high) / 2, Interval(low, high), 10)) == last


def test_number_without_interval_has_three_digits() -> None:
    assert [last_place(Estimate(value, None, 1)) for value in (1235, 0)] == [1, -2]
    assert [significant(value, 3) for value in (1234, 0.01234, 0)] == [1, -4, -2]


@pytest.mark.parametrize(
    ("value", "unit", "place", "plain"),
    [
        (1_234_567_890, "B/s", 6, "1.235 GB/s"),
        (0.0000402, "s", -7, "40.2 µs"),
        (999, "B", 0, "999 B"),
        (1234.5, "messages/s", 2, "1200 messages/s"),
        (4096, "bytes", 0, "4.000 KiB"),
        (1.05, "", -2, "1.05"),
    ],
)
def test_prefix_leaves_a_digit_before_the_point(value: float, unit: str, place: int, plain: str) -> None:
    assert show(value, unit, place).plain == plain


def test_chosen_number_is_printed_in_full() -> None:
    assert show_exactly(1_500_000, "B/s").plain == "1.5 MB/s"
    assert show_exactly(1_500_000, "B/s").tex == r"\qty{1.5}{\mega\byte\per\second}"
    assert show_exactly(12, "").tex == r"\labnum{12}"
    assert show_exactly(50_000, "").tex == r"\num{50000}"  # siunitx groups its digits


@pytest.mark.parametrize(
    ("size", "words"), [(64, "64 B"), (4096, "4 KiB"), (1000, "1 kB"), (1025, "1025 B"), (3 << 20, "3 MiB")]
)
def test_size_has_a_prefix_only_where_it_divides_the_size(size: int, words: str) -> None:
    assert in_words(size) == words


def printed(body: str, file: Path) -> str:
    text = f"\\documentclass{{article}}\n\\usepackage{{lab}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    style = (TEMPLATES / "lab.sty").read_bytes()
    file.write_bytes(compile_pdf({"report.tex": text.encode(), "lab.sty": style}, "report.tex"))
    return subprocess.run(["pdftotext", "-layout", file, "-"], capture_output=True, check=True, text=True).stdout


def test_written_out_quantities_print_as_siunitx_prints_them(tmp_path: Path) -> None:
    numbers = (1.234e9, 1_234_000.0, 1_234.0, 1.5, 0.0015, 0.0000015, 0.0000000015, -2.0)
    sizes = [show(2.0**power, "size", 0) for power in (0, 10, 20, 30)]
    quantities = [
        show(value, unit, -10) for unit in UNITS if unit not in ("", "count", "size", "/B") for value in numbers
    ]
    texts = [quantity.tex for quantity in (*sizes, *quantities)]
    body = "\n\n".join([*texts, r"\textbf{\qty{3}{\kibi\byte}}", r"$\frac{\qty{1}{\second}}{2}$"])
    quick = written_out(body)
    assert quick.count(r"\labqty") > 20
    assert printed(quick, tmp_path / "quick.pdf") == printed(body, tmp_path / "slow.pdf")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\n\\qty{99.5}{\\percent} of\n\\qty{-2}{\\micro\\second}", "a\n\\labqty{99.5}{\\%} of\n\\labqty{-2}{µs}"),
        (r"\qty{12345}{\byte}", r"\qty{12345}{\byte}"),
        (r"\qty{3}{\meter}", r"\qty{3}{\meter}"),
        (r"\qty{3}{\bytes}", r"\qty{3}{\bytes}"),
        (r"\qty[mode=text]{3}{\byte}", r"\qty[mode=text]{3}{\byte}"),
        (r"\qty{x}{\byte}", r"\qty{x}{\byte}"),
    ],
)
def test_only_quantities_of_known_form_are_written_out(text: str, written: str) -> None:
    assert written_out(text) == written
