"""Latencies: lab.report.{topics,tables,pictures}.latency."""

from __future__ import annotations

import pytest
from tests.lab.report import laboratory

from lab.report.evidence.evidence import Evidence
from lab.report.pictures import pictures
from lab.report.query.numbers import Numbers
from lab.report.tables.latency import common_sizes, fetch_table, latency_table
from lab.report.topics.latency import message_time, round_trips, trips


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
        whole, part = measured.quantile(quantile), numbers.ask(f"{name}.p{100 * quantile:.0f} at 64")
        assert whole and part.estimate.value == pytest.approx(trips_of_a_message * whole.value / 1e9)
    asked, whole_s = numbers.ask(f"{name} at 64").estimate.value, numbers.ask(f"{name}.rtt at 64").estimate.value
    assert asked == message_time(curve, 64).estimate.value == pytest.approx(trips_of_a_message * whole_s)


def test_a_read_stands_beside_reads_and_in_no_table_of_halves(evidence: Evidence) -> None:
    reads = {"read", "read.card", "ib_read_lat", "ib_read_lat.card"}
    assert not reads & {*latency_table(evidence).series} and "qperf" in latency_table(evidence).series
    assert set(fetch_table(evidence).series) == reads | {"write", "write.card"}
    (halves,) = (sketch.data for sketch in pictures(evidence) if sketch.name == "half_trip")
    assert not any("READ" in curve.label for curve in halves.curves)
    times = {row[0].split(" (")[0] + row[0].rsplit(",", 1)[1] for row in fetch_table(evidence).rows}
    assert {"RDMA READ round trip", "RDMA WRITE one way"} <= times


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ([(1, 4, 16, 64), (1, 64), (1, 64), (1,)], [1, 16, 64]),
        ([(1, 2, 4, 8, 16)] * 5, [1, 4, 16]),
        ([(8,)] * 5, [8]),
    ],
)
def test_sizes_are_shown_that_most_have(sizes: list[tuple[int, ...]], shown: list[int]) -> None:
    assert common_sizes(sizes) == shown


def test_every_link_has_its_own_figures_and_all_of_the_labs_stand_in_one(evidence: Evidence) -> None:
    drawn = {sketch.name: sketch.data for sketch in pictures(evidence)}
    ours = {"half_trip", "round_trip", "round_trip.write", "latency", "latency.write"}
    assert ours == drawn.keys()
    labels = [curve.label for curve in drawn["half_trip"].curves]
    assert "RDMA WRITE (modelled card fdr)" in labels and not any(label.startswith("ib_") for label in labels)
