"""Latencies: lab.report.{topics,tables,pictures}.latency, lab.report.topics.ratios."""

from __future__ import annotations

import pytest
from tests.lab.report import laboratory

from lab.report.evidence.evidence import Evidence
from lab.report.evidence.pairs import Sort
from lab.report.pictures import pictures
from lab.report.query.numbers import Numbers
from lab.report.tables.latency import common_sizes, fetch_table, latency_table, speed_table, tail_table
from lab.report.topics.latency import message_quantile, message_time, round_trips, trips
from lab.report.topics.ratios import speeds


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return laboratory.evidence_of("latency", tmp_path_factory.mktemp("records"))


def test_a_speed_is_the_other_round_trip_over_the_labs(evidence: Evidence) -> None:
    (found,) = (of.by_size[1] for of in speeds(evidence) if of.pair.name == "write.card_over_tcp.card")
    curves = (round_trips(evidence, evidence.series(name)) for name in ("write.card", "tcp.card"))
    ours, base = (message_time(curve, 1).estimate.value for curve in curves)
    assert found.estimate.value == pytest.approx(base / ours, rel=1e-6) != pytest.approx(1, rel=0.5)


def test_only_programs_of_one_link_that_do_the_same_are_compared(evidence: Evidence) -> None:
    peers = set()
    for pair in (found.pair for found in speeds(evidence)):
        ours, base = pair.ours.series, pair.base.series
        assert ours.link == base.link
        if pair.sort is Sort.PEER:
            peers.add(base.program)
            assert not ours.tool.rdma or (ours.operation, ours.has_card) == (base.operation, base.has_card)
    assert peers == {"ib_write_lat", "ib_send_lat", "ib_read_lat", "qperf"}


@pytest.mark.parametrize(("name", "trips_of_a_message"), [("send.card", 0.5), ("read.card", 1.0)])
def test_a_message_takes_half_of_a_trip_and_a_read_the_whole(
    evidence: Evidence, name: str, trips_of_a_message: float
) -> None:
    curve, numbers = round_trips(evidence, evidence.series(name)), Numbers(evidence)
    measured = next(found for found in trips(curve) if found.size == 64)
    for quantile in (0.95, 0.99):
        whole, part = measured.quantile(quantile), message_quantile(curve, measured, quantile)
        assert whole and part and part.unit == "s"
        assert part.estimate.value == pytest.approx(trips_of_a_message * whole.value / 1e9)
        assert numbers.ask(f"{name}.p{100 * quantile:.0f} at 64").estimate.value == part.estimate.value
    asked, whole_s = numbers.ask(f"{name} at 64").estimate.value, numbers.ask(f"{name}.rtt at 64").estimate.value
    assert asked == message_time(curve, 64).estimate.value == pytest.approx(trips_of_a_message * whole_s)


def test_a_read_stands_beside_reads_and_in_no_table_of_halves(evidence: Evidence) -> None:
    reads = {"read", "read.card", "ib_read_lat", "ib_read_lat.card"}
    assert not reads & {*latency_table(evidence).series, *tail_table(evidence).series}
    assert set(fetch_table(evidence).series) == reads | {"write", "write.card"}
    pairs = {(found.pair.ours.name, found.pair.base.name) for found in speeds(evidence)}
    assert {pair for pair in pairs if reads & {*pair}} == {("read", "ib_read_lat"), ("read.card", "ib_read_lat.card")}
    (halves,) = (sketch.data for sketch in pictures(evidence) if sketch.name == "half_trip")
    assert not any("READ" in curve.label for curve in halves.curves)
    times = {row[0].split(" (")[0] + row[0].rsplit(",", 1)[1] for row in fetch_table(evidence).rows}
    assert {"RDMA READ round trip", "RDMA WRITE one way"} <= times


def test_each_of_the_labs_has_three_rows_and_tools_that_print_a_summary_have_none(evidence: Evidence) -> None:
    table, names = tail_table(evidence), set(tail_table(evidence).series)
    assert len(table.rows) == 3 * len(names) and len(table.heads) == len(table.rows[0]) - 1 == 8
    assert "tcp" in names and "qperf" not in names and "qperf" in latency_table(evidence).series
    assert {row[0].split()[-1] for row in table.rows} == {"p50", "p95", "p99"}
    assert len(speed_table(evidence).rows) == len(speeds(evidence)) and len(speed_table(evidence).heads) == 3


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
    assert ours == {name for name in drawn if not name.endswith(".fit")}
    labels = [curve.label for curve in drawn["half_trip"].curves]
    assert "RDMA WRITE (modelled card fdr)" in labels and not any(label.startswith("ib_") for label in labels)
