"""Figures that a student draws from a CSV file."""

from pathlib import Path

import pytest

from lab.report.errors import FaultKind
from lab.report.text.macros import length_of
from lab.report.text.own_figures import MOST_BYTES, MOST_ROWS, files_named, own_figures, own_figures_refused

GOOD = r"\ownfigure{a.csv}{x}{y}{Our own.}"
TABLE = "x,y,z\n1,2,a\n3,4,b\n"


def faults(text: str, folder: Path) -> list[str]:
    return [str(fault) for fault in own_figures_refused(text, "discussion.tex", folder, ("claims.csv",))]


def test_complete_figure_passes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    assert faults(f"Words.\n{GOOD}\n", tmp_path) == []
    assert files_named(GOOD) == ["a.csv"] and own_figures(GOOD)[0].name == "own-a"
    assert length_of(GOOD) == (2, 0)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (r"\ownfigure{a.csv}{x}{y}", "not a complete figure"),
        (r"\ownfigure{a.csv}{x}{y}{}", "a caption that is empty"),
        ("\\ownfigure{a.csv}{x}{y}{One.\n\nTwo.}", "a blank line"),
        (r"\ownfigure{../a.csv}{x}{y}{C.}", "'../a.csv' is not a name of a data file"),
        (r"\ownfigure{b.csv}{x}{y}{C.}", "b.csv: is not there"),
        (r"\ownfigure{claims.csv}{x}{y}{C.}", "attaches a claims.csv itself"),
        (r"\ownfigure{a.csv}{x}{w}{C.}", "a.csv:1: no column 'w'"),
        (r"\ownfigure{a.csv}{x}{z}{C.}", "a.csv:2: 'a' in column 'z' is not a number"),
        (r"\ownfigure{a.csv}{x}{$y$}{C.}", "is not a name of a column"),
        (f"{GOOD}\n{GOOD}", "a.csv has a figure already"),
        (GOOD.replace("Our", "C" * 600), "longer than 600 characters"),
        (f"\\begin{{itemize}}\\item {GOOD}\\end{{itemize}}", "within a list"),
    ],
)
def test_wrong_figure_names_fault_and_line(text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    (found,) = faults(f"Words.\n{text}\n", tmp_path)
    assert what in found and found.startswith(("discussion.tex:2:", "discussion.tex:3:"))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "0 rows of data"),
        (b"x,y\n", "0 rows of data"),
        (b"x,y\n1,nan\n", "'nan' in column 'y'"),
        (b"x,y\n1\n", "'' in column 'y'"),
        (b"x,y\n1,1e300\n", "'1e300' in column 'y'"),
        (b"x,y,y\n1,2,3\n", "two columns 'y'"),
        (b'x,y\n"1,2\n', "not CSV in UTF-8"),
        (b"x,y\n\xff,2\n", "not CSV in UTF-8"),
        (b"x,y\n" + b"1,2\n" * (MOST_ROWS + 1), f"1 to {MOST_ROWS} are drawn"),
        (b"x" * (MOST_BYTES + 1), f"at most {MOST_BYTES} bytes"),
    ],
)
def test_file_that_cannot_be_drawn_names_the_fault(content: bytes, what: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    (found,) = faults(GOOD, tmp_path)
    assert what in found and f"[{FaultKind.FIGURE.value}]" in found


def test_caption_may_have_braces_two_deep_and_a_comment_is_not_a_figure() -> None:
    text = r"\ownfigure{a.csv}{x}{y}{So \emph{it \textbf{is}} \{.} % \ownfigure{b.csv}{x}{y}{C.}"
    (figure,) = own_figures(text)
    assert figure.caption == r"So \emph{it \textbf{is}} \{." and text[figure.end :].startswith(" %")


def test_fifth_figure_is_refused(tmp_path: Path) -> None:
    for name in "abcde":
        (tmp_path / f"{name}.csv").write_text(TABLE)
    text = "\n".join(GOOD.replace("a.csv", f"{name}.csv") for name in "abcde")
    (found,) = faults(text, tmp_path)
    assert "at most 4" in found
