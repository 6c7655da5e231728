"""The data of the live figure: lab.report.html.live."""

import json
from typing import Any

import pytest

from lab.experiment.reader import load
from lab.places import EXPERIMENTS
from lab.report.evidence.environment import reference_evidence
from lab.report.html.live import Live, live_figure
from lab.report.query.numbers import Numbers


@pytest.fixture(scope="module")
def numbers() -> Numbers:
    return Numbers(reference_evidence(load(EXPERIMENTS / "verbs_throughput.toml")))


def read(live: Live) -> Any:
    return json.loads(live.document)


def test_reference_is_left_out_if_the_run_has_its_values(numbers: Numbers) -> None:
    live = live_figure(numbers, {}, ())
    assert live.is_reference and not live.has_reference and read(live)["reference"] == []
    assert live.about == "The reference is not shown: this run has the same values."


def test_point_has_the_median_interval_and_n_of_a_query(numbers: Numbers) -> None:
    (curve,) = (curve for curve in read(live_figure(numbers, {}, ()))["run"] if curve["name"] == "tcp.card")
    size, *point = curve["points"][0]
    estimate = numbers.ask("tcp.card at 1").estimate
    assert estimate.interval and size == 1
    assert point == pytest.approx([estimate.value, estimate.interval.low, estimate.interval.high, 6], rel=1e-4)


def test_queried_series_are_drawn_first(numbers: Numbers) -> None:
    assert read(live_figure(numbers, {}, ["tcp.card", "card"]))["shown"][:2] == ["tcp.card", "card"]
