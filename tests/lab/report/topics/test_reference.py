"""Answers from results/reference, checked by hand."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from tests.lab.report import laboratory

from lab.places import REFERENCE
from lab.records.table import Row, parse_table
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import COMPLETED, CONFIRMED, Evidence, cells
from lab.report.evidence.pairs import pairs
from lab.report.query.grammar import QueryError
from lab.report.query.numbers import Numbers
from lab.report.topics.throughput import ceiling
from lab.report.topics.times import round_trips, trip_times

NAMES = ("verbs_throughput", "write_parameters")
SEEN_LATE = 1.0005  # a poll sees the end of a window late, and of the first one a little later than of the last


def reference(name: str) -> tuple[Evidence, list[Row]]:
    """The evidence of the committed table, whose series have all their sizes; one that is newer waits for a renewal."""
    rows = parse_table((REFERENCE / f"{name}.csv").read_text())
    plan = laboratory.plan_of(name)
    measured = {row.series for row in rows}
    series = tuple(each for each in plan.experiment.series if each.name in measured)
    plan = replace(plan, experiment=replace(plan.experiment, series=series))
    assert all(
        set(each.sizes("exact")) == {row.size_bytes for row in rows if row.series == each.name} for each in series
    )
    keys = list(dict.fromkeys(row.record for row in rows))
    facts = {key: laboratory.facts_of(key, plan) for key in keys}
    return Evidence(plan, tuple(rows), facts, Path("nowhere"), 0, cells(plan, rows, keys)), rows


def by_size(rows: list[Row], series: str, column: str) -> dict[int, float]:
    values: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        if row.series == series:
            values[row.size_bytes].append(row.counts[column])
    return {size: median(found) for size, found in values.items()}


@pytest.mark.parametrize("name", NAMES)
def test_rates_and_ratios_are_medians_of_the_table(name: str) -> None:
    evidence, rows = reference(name)
    numbers = Numbers(evidence)
    for series in evidence.all_series("throughput"):
        for size, value in by_size(rows, series.name, subject(evidence, series).column).items():
            assert numbers.ask(f"{series.name} at {size}").estimate.value == value
            assert numbers.ask(f"{series.name}.messages at {size}").estimate.value == pytest.approx(value / size)
    for pair in pairs(evidence):
        above, below = (by_size(rows, side.series.name, side.column) for side in (pair.ours, pair.base))
        for size in pair.sizes:
            ratio = numbers.ask(f"{pair.ours.series.name} / {pair.base.series.name} at {size}").estimate
            assert ratio.value == pytest.approx(above[size] / below[size], rel=1e-12)
            assert ratio.interval is None or ratio.interval.contains(ratio.value)
    assert {"verbs_over_tcp", "verbs_over_ib_write_bw"} <= {pair.name for pair in pairs(evidence)}


def test_no_curve_of_the_reference_is_above_its_ceiling_or_confirmed_before_it_is_complete() -> None:
    evidence, rows = reference("verbs_throughput")
    for series in evidence.all_series("throughput"):
        curve = subject(evidence, series)
        if limit := ceiling(series, curve.sizes):
            assert all(
                median(curve.values(size)) <= SEEN_LATE * y for size, y in zip(curve.sizes, limit.y, strict=True)
            )
    stops = [by_size(rows, "verbs", column) for column in (COMPLETED, CONFIRMED)]
    assert all(stops[0][size] >= stops[1][size] for size in stops[0])


@pytest.mark.parametrize("name", ["tcp", "verbs", "card"])
def test_lines_of_the_mpi_reference_are_those_of_its_file(name: str) -> None:
    evidence, rows = reference("mpi_bandwidth_latency")
    line = trip_times(round_trips(evidence, evidence.series(name))).line()
    kept = [row for row in rows if row.series == name]
    sizes, trips = ([row.size_bytes for row in kept], [row.counts["round_trip_ns"] for row in kept])
    slope, intercept = np.polyfit(sizes, np.divide(trips, 2), 1)
    assert line.slope.value == pytest.approx(slope) and line.intercept.value == pytest.approx(intercept)


def test_two_lines_follow_the_mpi_reference_where_its_protocol_changes() -> None:
    numbers = Numbers(reference("mpi_bandwidth_latency")[0])
    interval = numbers.ask("verbs.break").estimate.interval
    assert interval and (interval.low, interval.high) == (256_000, 272_000)
    fastest = 528_000 / numbers.ask("verbs at 528000").estimate.value
    assert numbers.ask("verbs.slope").estimate.value > fastest / 0.9, "a line across the step promises too much"
    assert 197e6 < numbers.ask("verbs.slope up to 256000").estimate.value < 200e6


@pytest.mark.parametrize(("series", "size"), [("verbs", 4088), ("card", 64)])
def test_both_ends_jump_where_a_packet_is_full_or_data_leave_the_request(series: str, size: int) -> None:
    numbers = Numbers(reference("mpi_blocking_nonblocking")[0])
    for call in (f"{series}[{calls}].{end}" for calls in ("blocking", "non-blocking") for end in ("send", "receive")):
        assert numbers.ask(f"{call}.jump.size").estimate.value == size
        with pytest.raises(QueryError, match=f"it jumps at {size}"):
            numbers.ask(f"{call}.knee")


def test_over_tcp_no_call_steps() -> None:
    numbers = Numbers(reference("mpi_blocking_nonblocking")[0])
    for end in ("send", "receive"):
        with pytest.raises(QueryError, match="no jump"):
            numbers.ask(f"tcp[blocking].{end}.jump")
