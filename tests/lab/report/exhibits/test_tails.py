"""How slow the slow messages are: lab.report.exhibits.plots, lab.figures.repetitions."""

from __future__ import annotations

import pytest
from tests.lab.report import laboratory

from lab.figures.render import render
from lab.figures.repetitions import Distribution, Tails
from lab.report.errors import ReportError
from lab.report.exhibits.core import LOOKS, Exhibits, Gallery
from lab.report.exhibits.plots import tails
from lab.report.query.numbers import Numbers

SERIES = [["write.card", "WRITE", "card"], ["ib_write_lat.card", "perftest"], ["nothing", "none"]]


@pytest.fixture(scope="module")
def exhibits(tmp_path_factory: pytest.TempPathFactory) -> Exhibits:
    folder = tmp_path_factory.mktemp("tails")
    return Exhibits(Numbers(laboratory.evidence_of("latency", folder / "records")), Gallery(folder / "figures"))


def test_one_slow_message_in_sixteen_is_a_step_at_its_share() -> None:
    samples = (1000.0,) * 375 + (1500.0,) * 25
    figure = render(Tails("tails", (Distribution("WRITE", samples, ()),), (LOOKS["card"],)))
    assert figure.alt.endswith("at most so long: WRITE 1 at 90 %, 1.5 at 95 %, 1.5 at 99 %.")
    assert figure.n == "n = 400 samples or more"


def test_only_series_whose_round_trips_were_kept_are_drawn(exhibits: Exhibits) -> None:
    assert r"\label{figure:slow}" in tails(exhibits, "slow", "The slow ones.", "1", SERIES)
    (shown,) = exhibits.gallery.sketches["slow"].data.distributions
    assert shown.label == "WRITE" and len(shown.samples) == 6 * 400 and len(shown.keys) == 6
    with pytest.raises(ReportError, match="no round trips of empty"):
        tails(exhibits, "empty", "Nothing.", "1", SERIES[1:])
