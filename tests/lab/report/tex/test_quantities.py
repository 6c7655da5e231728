"""Quantities without siunitx, printed as it prints them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lab.places import TEMPLATES
from lab.report.tex.latex import compile_pdf
from lab.report.tex.numbers import UNITS, show, written_out

LEFT = [r"\qty{12345}{\byte}", r"\qty{3}{\meter}", r"\qty{3}{\bytes}", r"\qty[mode=text]{3}{\byte}", r"\qty{x}{\byte}"]


def printed(body: str, file: Path) -> str:
    text = f"\\documentclass{{article}}\n\\usepackage{{lab}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    style = (TEMPLATES / "lab.sty").read_bytes()
    file.write_bytes(compile_pdf({"report.tex": text.encode(), "lab.sty": style}, "report.tex"))
    return subprocess.run(["pdftotext", "-layout", file, "-"], capture_output=True, check=True, text=True).stdout


def test_every_unit_of_the_lab_is_printed_as_siunitx_prints_it(tmp_path: Path) -> None:
    numbers = (1.234e9, 1_234_000.0, 1_234.0, 1.5, 0.0015, 0.0000015, 0.0000000015, -2.0)
    sizes = [show(2.0**power, "size", 0) for power in (0, 10, 20, 30)]
    shown = [show(value, unit, -10) for unit in UNITS if unit not in ("", "size", "/B") for value in numbers]
    texts = [rf"\mbox{{{show(each, 's', -9).tex}}}" for each in (1.0, 2e-3)] + [each.tex for each in (*sizes, *shown)]
    body = "\n\n".join([*texts, r"\textbf{\qty{3}{\kibi\byte}}", r"$\frac{\qty{1}{\second}}{2}$"])
    quick = written_out(body)
    assert quick.count(r"\labqty") > 20
    assert printed(quick, tmp_path / "quick.pdf") == printed(body, tmp_path / "slow.pdf")


@pytest.mark.parametrize("text", LEFT)
def test_what_siunitx_knows_better_is_left_to_it(text: str) -> None:
    assert written_out(text) == text


def test_a_unit_is_written_in_words_on_the_same_line() -> None:
    assert written_out("a\n\\qty{99.5}{\\percent} of \\qty{-2}{\\micro\\second}\n") == (
        "a\n\\labqty{99.5}{\\%} of \\labqty{-2}{µs}\n"
    )
