"""The cache of figures: lab.report.exhibits.core."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.lab.figures.examples import one_point

from lab.files.store import SUMS
from lab.report.exhibits.core import WORDS, Gallery

CACHED = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[4])!r})
import lab.report.build, lab.report.html.page
from pathlib import Path
from lab.report.exhibits.core import Gallery
from tests.lab.figures.examples import one_point
Gallery(Path(sys.argv[1])).draw(one_point(), "One.")
sys.exit("matplotlib" in sys.modules)
"""


@pytest.mark.parametrize("name", ["figure.pdf", "figure.png", "figure.svg", WORDS, SUMS])
def test_a_cached_figure_is_read_and_drawn_again_where_it_is_damaged(tmp_path: Path, name: str) -> None:
    figure = Gallery(tmp_path).draw(one_point(), "One.")
    (folder,) = tmp_path.iterdir()
    written = (folder / WORDS).stat().st_mtime_ns
    assert Gallery(tmp_path).draw(one_point(), "One.") == figure
    assert (folder / WORDS).stat().st_mtime_ns == written
    (folder / name).write_bytes(b"damage")
    assert Gallery(tmp_path).draw(one_point(), "One.") == figure
    assert (folder / name).read_bytes() != b"damage"


def test_a_cached_figure_loads_no_drawing_library(tmp_path: Path) -> None:
    """matplotlib takes longer to load than all answers to compute."""
    Gallery(tmp_path).draw(one_point(), "One.")
    subprocess.run([sys.executable, "-c", CACHED, str(tmp_path)], check=True)
