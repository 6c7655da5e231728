"""Figures of a student's own: lab.report.{check.own_figures,prose.own_figures}, lab.figures.own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.report.check.test_corpus import ledger

from lab.figures import Own
from lab.figures.drawers import own
from lab.report.check.own_figures import own_figures_refused
from lab.report.check.text import all_refused
from lab.report.prose.own_figures import MOST_BYTES, MOST_ROWS, files_named, own_figures
from lab.report.prose.uses import length_of

GOOD = r"\ownfigure{a.csv}{x}{y}{Our own.}"
TABLE = "x,y,z\n1,2,a\n3,4,b\n"


def said(text: str, folder: Path) -> list[str]:
    return [str(each) for each in own_figures_refused(text, "discussion.tex", folder, ("claims.csv",))]


def test_a_good_one_passes_and_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    assert said(f"Words.\n{GOOD}\n", tmp_path) == []
    assert files_named(GOOD) == ["a.csv"] and own_figures(GOOD)[0].name == "own-a"
    assert length_of(GOOD) == (2, 0)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (r"\ownfigure{a.csv}{x}{y}", "is not written as it must be"),
        (r"\ownfigure{a.csv}{x}{y}{}", "its caption is empty"),
        ("\\ownfigure{a.csv}{x}{y}{One.\n\nTwo.}", "a blank line"),
        (r"\ownfigure{../a.csv}{x}{y}{C.}", "'../a.csv' is no name of a data file"),
        (r"\ownfigure{b.csv}{x}{y}{C.}", "b.csv: is not there"),
        (r"\ownfigure{claims.csv}{x}{y}{C.}", "attaches a claims.csv of its own"),
        (r"\ownfigure{a.csv}{x}{w}{C.}", "a.csv:1: has no column 'w'"),
        (r"\ownfigure{a.csv}{x}{z}{C.}", "a.csv:2: 'a' in column 'z' is no number"),
        (r"\ownfigure{a.csv}{x}{$y$}{C.}", "is no name of a column"),
        (f"{GOOD}\n{GOOD}", "a.csv has a figure already"),
        (f"\\begin{{itemize}}\\item {GOOD}\\end{{itemize}}", "within a list"),
    ],
)
def test_a_wrong_one_says_what_and_where(text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    (found,) = said(f"Words.\n{text}\n", tmp_path)
    assert what in found and found.startswith(("discussion.tex:2:", "discussion.tex:3:"))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "has no row of data"),
        (b"x,y\n", "has no row of data"),
        (b"x,y\n1,nan\n", "'nan' in column 'y'"),
        (b"x,y\n1\n", "'' in column 'y'"),
        (b"x,y\n1,1e300\n", "'1e300' in column 'y'"),
        (b"x,y,y\n1,2,3\n", "has two columns 'y'"),
        (b'x,y\n"1,2\n', "is no CSV"),
        (b"x,y\n\xff,2\n", "is no UTF-8 text"),
        (b"x,y\n" + b"1,2\n" * (MOST_ROWS + 1), f"at most {MOST_ROWS} are drawn"),
        (b"x" * (MOST_BYTES + 1), f"more than {MOST_BYTES} bytes"),
    ],
)
def test_a_file_that_cannot_be_drawn_says_why(content: bytes, what: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    (found,) = said(GOOD, tmp_path)
    assert what in found and "[own figure has its data]" in found


def test_its_caption_is_held_against_the_data() -> None:
    lie = r"\ownfigure{a.csv}{x}{y}{RDMA beats TCP at every size.}"
    (found,) = all_refused(lie, "discussion.tex", ledger("verbs_throughput"), None)
    assert "the data say otherwise" in found.what


def test_a_fifth_is_one_too_many(tmp_path: Path) -> None:
    for name in "abcde":
        (tmp_path / f"{name}.csv").write_text(TABLE)
    text = "\n".join(GOOD.replace("a.csv", f"{name}.csv") for name in "abcde")
    (found,) = said(text, tmp_path)
    assert "at most 4" in found


def test_the_same_points_give_the_same_bytes_and_words() -> None:
    data = Own("own-a", "a.csv", "x", "y", (1.0, 2.0, 1000.0), (3.0, -1.0, 5.0))
    first, second = own(data), own(data)
    assert (first.pdf, first.svg, first.png) == (second.pdf, second.svg, second.png)
    assert "3 points from a.csv" in first.alt and first.n == "3 points"
