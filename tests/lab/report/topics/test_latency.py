"""Latencies: lab.report.topics.latency."""

from __future__ import annotations

from statistics import median

import pytest
from tests.lab.report import laboratory

from lab.analysis.estimate import supported_quantile
from lab.report.evidence.evidence import Evidence
from lab.report.query.numbers import Numbers
from lab.report.topics.latency import round_trips, trips


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return laboratory.evidence_of("latency", tmp_path_factory.mktemp("records"))


@pytest.mark.parametrize(("name", "trips_of_a_message"), [("send.card", 0.5), ("read.card", 1.0)])
def test_a_message_takes_half_of_a_trip_and_a_read_the_whole(
    evidence: Evidence, name: str, trips_of_a_message: float
) -> None:
    curve, numbers = round_trips(evidence, evidence.series(name)), Numbers(evidence)
    measured = next(found for found in trips(curve) if found.size == 64)
    for quantile in (0.95, 0.99):
        found = [supported_quantile(repetition, quantile) for repetition in measured.by_repetition]
        whole, part = median(each.value for each in found if each), numbers.ask(f"{name}.p{100 * quantile:.0f} at 64")
        assert all(found) and part.estimate.value == pytest.approx(trips_of_a_message * whole / 1e9)
    asked, whole_s = numbers.ask(f"{name} at 64").estimate.value, numbers.ask(f"{name}.rtt at 64").estimate.value
    assert asked == pytest.approx(trips_of_a_message * whole_s)
