"""The report about repeated rounds, and its figures: lab.report.exhibits.plots and its template."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.places import EXPERIMENTS
from lab.report.errors import ReportError
from lab.report.exhibits.core import Exhibits, Gallery
from lab.report.exhibits.plots import agreed, by_round
from lab.report.query.grammar import QueryError
from lab.report.query.numbers import Numbers

NAME = "throughput_until_stable"


@pytest.fixture(scope="module")
def exhibits(tmp_path_factory: pytest.TempPathFactory) -> Exhibits:
    folder = tmp_path_factory.mktemp("rounds")
    return Exhibits(Numbers(laboratory.evidence_of(NAME, folder)), Gallery(folder / "figures"))


def test_a_row_has_the_squares_of_its_sizes_alone(exhibits: Exhibits) -> None:
    agreed(exhibits, "agreed", "All agree.", [["card", "card"], ["verbs", "kernel RDMA"], ["absent", "TCP"]])
    alt = exhibits.gallery.shown["agreed"].alt.replace("\N{NO-BREAK SPACE}", " ")
    assert alt.endswith("card 6 of 6 at 1 B to 256 KiB; kernel RDMA 6 of 6 at 1 B to 256 KiB.")
    card, verbs = exhibits.gallery.sketches["agreed"].data.rows
    assert None not in card.cells and verbs.cells[:3] == ((6, 6), None, (6, 6))


def test_rounds_are_shown_off_the_median_of_the_last(exhibits: Exhibits) -> None:
    by_round(exhibits, "rounds", "They agree.", [["tcp.card", "1K", "TCP, 1 KiB", "TCP"]])
    (curve,) = exhibits.gallery.sketches["rounds"].data.curves
    assert curve.x == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert [y.value for y in curve.y[1:]] == pytest.approx([1.0] * 5, rel=0.01)


def test_a_long_caption_is_refused(exhibits: Exhibits) -> None:
    with pytest.raises(ReportError, match="a caption of 31 words"):
        agreed(exhibits, "agreed", "word " * 31, [["card", "card"]])


def test_a_round_has_a_time_and_a_rate_can_be_asked_in_bits(exhibits: Exhibits) -> None:
    numbers = exhibits.numbers
    in_rounds = numbers.ask("card.round / (card.time * card.iterations) at 64").estimate.value
    assert in_rounds == pytest.approx(1 / 5, rel=1e-3)  # whose last five are timed
    bits = numbers.ask("card at 64 in bit/s").answer
    assert (bits.unit, bits.estimate.value) == ("bit/s", 8 * numbers.ask("card at 64").estimate.value)
    assert str(exhibits.table(["card in bit/s"], ["64"])[0][1]) == str(exhibits.cell("card at 64 in bit/s"))
    with pytest.raises(QueryError, match="no unit"):
        numbers.ask("card.round at 64 in bit/s")


def test_a_site_without_the_card_has_a_report_about_the_rest(tmp_path: Path) -> None:
    parts = (EXPERIMENTS / f"{NAME}.toml").read_text().split("[[series]]")
    kept = [part for part in parts if not re.search(r"card =|1_000_000_000", part)]
    (tmp_path / f"{NAME}.toml").write_text(
        "[[series]]".join(kept).replace('series = ["card", "tcp.card", "soft.card"]', 'series = ["cable"]')
    )
    body = laboratory.body_of(laboratory.evidence_of(NAME, tmp_path / "results", tmp_path), tmp_path)
    assert "Throughput at five sizes, as the rounds give it and corrected" in body
    assert "Report E's results" not in body
