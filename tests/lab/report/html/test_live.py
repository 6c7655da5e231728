"""The data of the live figure: lab.report.html.live."""

from __future__ import annotations

import json
from dataclasses import replace
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


def test_a_run_with_the_values_of_the_reference_is_said_to_have_them(numbers: Numbers) -> None:
    live = live_figure(numbers, {}, ())
    assert live.is_reference and not live.has_reference and read(live)["reference"] == []
    assert live.about == "The reference is not shown: this run has the same values."


def test_a_run_with_other_values_is_shown_beside_the_reference(numbers: Numbers) -> None:
    rows = tuple(row for row in numbers.evidence.rows if row.repetition < 3)
    fewer = {place: replace(cell, values=cell.values[:2]) for place, cell in numbers.evidence._cells.items()}
    live = live_figure(Numbers(replace(numbers.evidence, rows=rows, _cells=fewer)), {}, ())
    assert live.has_reference and len(read(live)["reference"]) == len(read(live)["run"])


def test_a_point_has_its_median_interval_and_n_as_queries_answer(numbers: Numbers) -> None:
    (curve,) = (each for each in read(live_figure(numbers, {}, ()))["run"] if each["name"] == "tcp.card")
    size, *point = curve["points"][0]
    asked = numbers.ask("tcp.card at 1").estimate
    assert asked.interval and size == 1
    assert point == [
        pytest.approx(each, rel=1e-4) for each in (asked.value, asked.interval.low, asked.interval.high, 6)
    ]


def test_the_series_that_the_text_asks_for_are_drawn_first(numbers: Numbers) -> None:
    assert read(live_figure(numbers, {}, ["tcp.card", "card"]))["shown"][:2] == ["tcp.card", "card"]
