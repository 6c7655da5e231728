"""The parts of a time: lab.report.exhibits.plots, lab.figures.stacks, from results/reference."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.report.query.numbers_of import numbers_of

from lab.figures.figure import FigureError
from lab.report.errors import ReportError
from lab.report.exhibits.core import Exhibits, Gallery
from lab.report.exhibits.plots import parts

KINDS = ["read of memory", "wire", "bytes", "the rest"]
BARS = [
    ["1 B", "write.card at 1", "", "fdr.wire", "61 B / fdr.rate"],
    ["1 KiB", "write.card at 1K", "fdr.fetch", "fdr.wire", "1K / fdr.bus"],
    ["3 B", "write.card at 3", "", "fdr.wire", "61 B / fdr.rate"],
]


@pytest.fixture
def exhibits(tmp_path: Path) -> Exhibits:
    return Exhibits(numbers_of("latency"), Gallery(tmp_path))


def test_what_the_cards_file_assumes_is_marked_and_the_rest_ends_the_bar(exhibits: Exhibits) -> None:
    parts(exhibits, "path", "Mostly assumed.", "half of the round trip", KINDS, BARS)
    alt = exhibits.gallery.shown["path"].alt.replace("\N{NO-BREAK SPACE}", " ")
    assert alt == (
        "Half of the round trip, in parts: 1 B 1.41 µs: wire (assumed) 1 µs, bytes 8.95 ns, the rest 398 ns; "
        "1 KiB 2.38 µs: read of memory (assumed) 500 ns, wire (assumed) 1 µs, bytes 172 ns, the rest 705 ns."
    )


def test_a_figure_without_a_bar_is_refused_and_so_are_parts_above_their_whole(exhibits: Exhibits) -> None:
    with pytest.raises(ReportError, match="no bar of empty"):
        parts(exhibits, "empty", "Nothing.", "time", KINDS, BARS[2:])
    with pytest.raises(FigureError, match="more than the whole"):
        parts(exhibits, "above", "Too much.", "time", ["wires", "rest"], [["1 B", "fdr.wire", "2 * fdr.wire"]])
