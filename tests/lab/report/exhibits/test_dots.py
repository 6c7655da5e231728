"""A dot plot of latencies: lab.report.exhibits.plots, lab.figures.dots."""

from __future__ import annotations

import pytest
from tests.lab.report import laboratory

from lab.report.errors import ReportError
from lab.report.exhibits.core import Exhibits, Gallery
from lab.report.exhibits.plots import dots
from lab.report.query.numbers import Numbers

CARD = ("with a card", [["write.card", "WRITE", "card"], ["ib_write_lat.card", "perftest"], ["nothing", "none"]])
NONE = ("no such link", [["nothing", "none", "TCP"]])


@pytest.fixture(scope="module")
def exhibits(tmp_path_factory: pytest.TempPathFactory) -> Exhibits:
    folder = tmp_path_factory.mktemp("dots")
    return Exhibits(Numbers(laboratory.evidence_of("latency", folder / "records")), Gallery(folder / "figures"))


def test_a_row_shows_its_median_and_99_percent_where_the_round_trips_were_kept(exhibits: Exhibits) -> None:
    text = dots(exhibits, "answer", "All of them.", "half of the round trip", "1", [CARD, NONE])
    assert r"\label{figure:answer}" in text and "All of them." in text
    alt = exhibits.gallery.shown["answer"].alt.replace("\N{NO-BREAK SPACE}", " ")
    assert alt.startswith("Half of the round trip, the axis logarithmic: with a card: WRITE ")
    write, perftest = alt.split(": ")[-1].split(", ")
    assert " to " in write and " to " not in perftest and "none" not in alt and "no such link" not in alt
    median, slow = (exhibits.numbers.ask(f"write.card{measure} at 1").estimate.value for measure in ("", ".p99"))
    (group,) = exhibits.gallery.sketches["answer"].data.groups
    assert (group[1][0].value.value, group[1][0].end) == (median, slow) and slow >= median


def test_a_figure_without_a_row_is_refused(exhibits: Exhibits) -> None:
    with pytest.raises(ReportError, match="no row of empty"):
        dots(exhibits, "empty", "Nothing.", "time", "1", [NONE])
