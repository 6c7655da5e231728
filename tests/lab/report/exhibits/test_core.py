"""Cells, tables and figures of queries about results/reference, and the cache of figures."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.lab.figures.examples import one_point
from tests.lab.report import laboratory

from lab.files.store import SUMS
from lab.report.errors import ReportError
from lab.report.exhibits.core import FILES, CaptionedFigure, Exhibits, draw, grid, render

ONE = {"one": CaptionedFigure("One.", one_point())}
MORE = "tcp[non-blocking].receive - tcp[blocking].receive"
CURVES = [["card", "card"], ["tcp.card", "TCP"], ["nothing", "no such series", "kernel RDMA"]]

CACHED = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[4])!r})
import lab.report.build, lab.report.html.page
from pathlib import Path
from lab.report.exhibits.core import CaptionedFigure, draw
from tests.lab.figures.examples import one_point
from tests.lab.report import laboratory
draw(dict(one=CaptionedFigure("One.", one_point())), Path(sys.argv[1]))
sys.exit("matplotlib" in sys.modules)
"""


@pytest.fixture
def exhibits() -> Exhibits:
    return laboratory.exhibits_of("verbs_throughput")


def test_condition_holds_only_if_it_is_true_and_the_data_have_its_series(exhibits: Exhibits) -> None:
    assert exhibits.holds("card > tcp.card everywhere")
    assert not exhibits.holds("card < tcp.card at 1K") and not exhibits.holds("nothing > tcp at 1K")
    assert exhibits.has("card at 1", "tcp.card at 1M") and not exhibits.has("card at 1", "card at 3")


@pytest.mark.parametrize(
    ("experiment", "query", "digits", "printed"),
    [
        ("verbs_throughput", "card at 1", 3, r"\qty{4.39}{\mega\byte\per\second}"),  # a narrow interval
        ("verbs_throughput", "nothing at 1", 3, "--"),
        ("mpi_bandwidth_latency", "verbs at 192000", 3, r"\qty{990}{\micro\second} \labinterval{990, 1020}"),
        ("mpi_blocking_nonblocking", f"{MORE} at 1", 2, r"\qty{80}{\nano\second} \labinterval{\labnum{-2300}, 1710}"),
    ],
)
def test_cell_has_an_interval_only_if_it_is_wide(experiment: str, query: str, digits: int, printed: str) -> None:
    exhibits = laboratory.exhibits_of(experiment)
    assert exhibits.cell(query, digits) == printed
    assert exhibits.cell(query, digits, interval=False) == printed.partition(" ")[0]


def test_table_has_a_row_for_each_size_and_fits_the_page(exhibits: Exhibits) -> None:
    rows = exhibits.table(["card", "card / tcp.card"], ["1", "1M"])
    assert [row[0] for row in rows] == [r"\qty{1}{\byte}", r"\qty{1}{\mebi\byte}"] and len(rows[1]) == 3
    text = grid(["size", "card", "ratio"], rows)
    assert text.startswith(r"\begin{labfit}\begin{tabular}{@{}l*{2}{r}@{}}") and text.count(r"\\") == 3
    assert exhibits.sizes_of("card")[0] == "1" and exhibits.sizes_of("nothing") == []


def test_figure_names_its_curves_and_leaves_out_those_without_data(exhibits: Exhibits) -> None:
    text = exhibits.plot("answer", "Card and TCP.", "throughput", CURVES, [["card.link", "link"]])
    assert r"\label{figure:answer}" in text and "Card and TCP." in text
    drawn = exhibits.gallery["answer"].data
    assert [curve.label for curve in drawn.curves] == ["card", "TCP"] and drawn.limits[0][0] == "link"
    svg = render(exhibits.gallery["answer"].data).svg.decode()
    assert "card" in svg and "TCP" in svg


def test_figure_without_data_or_with_a_long_caption_is_refused(exhibits: Exhibits) -> None:
    with pytest.raises(ReportError, match="no curve of empty"):
        exhibits.plot("empty", "Nothing.", "throughput", [["nothing", "nothing"]])
    with pytest.raises(ReportError, match="a caption of 31 words"):
        exhibits.plot("long", "word " * 31, "throughput", CURVES)


@pytest.mark.parametrize("name", [*FILES, SUMS])
def test_cached_figure_is_read_and_drawn_again_if_it_is_damaged(tmp_path: Path, name: str) -> None:
    figure = draw(ONE, tmp_path)
    (folder,) = tmp_path.iterdir()
    written = (folder / FILES[0]).stat().st_mtime_ns
    assert draw(ONE, tmp_path) == figure
    assert (folder / FILES[0]).stat().st_mtime_ns == written
    (folder / name).write_bytes(b"damage")
    assert draw(ONE, tmp_path) == figure
    assert (folder / name).read_bytes() != b"damage"


def test_cached_figure_loads_no_drawing_library(tmp_path: Path) -> None:
    """matplotlib takes longer to load than all answers to compute."""
    draw(ONE, tmp_path)
    subprocess.run([sys.executable, "-c", CACHED, str(tmp_path)], check=True)
