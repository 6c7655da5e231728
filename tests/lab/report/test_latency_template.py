"""The report of latencies with and without a modelled card: lab.report.context, templates/latency.tex."""

from __future__ import annotations

import re

import pytest
from tests.lab.report import laboratory

from lab.places import EXPERIMENTS
from lab.report.text.macros import uses

SERIES = "[[series]]\n"


def without_cards(text: str) -> str:
    """The experiment with its series over a plain link only, as a site without modelled cards has it."""
    head, *series = text.split(SERIES)
    return SERIES.join([head, *(part for part in series if "card =" not in part)]).replace(
        '"write.card", "tcp.card", ', ""
    )


@pytest.fixture(scope="module", params=["with", "without"])
def body(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp(request.param)
    text = (EXPERIMENTS / "latency.toml").read_text()
    (folder / "latency.toml").write_text(text if request.param == "with" else without_cards(text))
    return laboratory.body_of(laboratory.evidence_of("latency", folder / "records", folder), folder)


def test_it_has_a_dot_plot_a_table_of_reads_and_tails_and_no_counted_instructions(body: str) -> None:
    figures = {*re.findall(r"\\label\{figure:(\w+)\}", body)}
    assert {"answer", "size", "tails"} <= figures and not {"causes", "processor"} & figures
    assert {"five", "published", "fetch"} <= {*re.findall(r"\\label\{table:(\w+)\}", body)}


def test_a_read_is_claimed_by_its_whole_round_trip(body: str) -> None:
    halves = [use.body for use in uses(body) if re.search(r"\bread(\.card)?(?!\.rtt)( at|\.p)", use.body)]
    assert not halves and ("read.card.rtt" in body) == ("write.card" in body)


def test_a_card_says_what_is_assumed_of_it(body: str) -> None:
    assert (r"\emph{assumed}" in body) == (r"\claim[2]{(fdr.doorbell" in body) == ("write.card" in body)
