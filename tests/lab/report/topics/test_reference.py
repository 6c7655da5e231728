"""Answers from results/reference, checked by hand: lab.report.topics.*, lab.report.evidence.*."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from tests.lab.report import laboratory

from lab.places import REFERENCE
from lab.records.row import Row, parse_table
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import COMPLETED, CONFIRMED, Evidence, cells
from lab.report.evidence.margin import INSTRUCTIONS
from lab.report.evidence.pairs import Sort
from lab.report.topics.curves import ceiling, message_rate, rate
from lab.report.topics.latency import lines_beside
from lab.report.topics.ratios import pair_ratios
from lab.report.topics.sides import sides

NAMES = ("verbs_throughput", "write_parameters")


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
def test_rates_and_ratios_are_the_tables_medians(name: str) -> None:
    evidence, rows = reference(name)
    for series in evidence.all_series("throughput"):
        curve = subject(evidence, series)
        for size, value in by_size(rows, series.name, curve.column).items():
            assert rate(curve, size).estimate.value == value
            assert message_rate(curve, size).estimate.value == pytest.approx(value / size)
    found = pair_ratios(evidence, *Sort)
    for ratios in found:
        pair = ratios.pair
        above, below = (by_size(rows, side.series.name, side.column) for side in (pair.ours, pair.base))
        for size, answer in ratios.by_size.items():
            assert answer.estimate.value == pytest.approx(above[size] / below[size], rel=1e-12)
            assert answer.estimate.interval is None or answer.estimate.interval.contains(answer.estimate.value)
    assert {"verbs_over_tcp", "verbs_over_ib_write_bw"} <= {ratios.pair.name for ratios in found}


def test_no_curve_of_the_reference_is_above_its_ceiling_or_confirmed_before_it_is_complete() -> None:
    evidence, rows = reference("verbs_throughput")
    for series in evidence.all_series("throughput"):
        curve = subject(evidence, series)
        if limit := ceiling(series, curve.sizes):
            assert all(rate(curve, size).estimate.value <= y for size, y in zip(curve.sizes, limit.y, strict=True))
    stops = [by_size(rows, "verbs", column) for column in (COMPLETED, CONFIRMED)]
    assert all(stops[0][size] >= stops[1][size] for size in stops[0])


def test_the_lines_of_the_mpi_reference_are_no_latencies() -> None:
    evidence, rows = reference("mpi_bandwidth_latency")
    found = list(lines_beside(evidence))
    for times in (line.times for line in found):
        kept = [row for row in rows if row.series == times.curve.name and row.size_bytes in times.sizes]
        sizes, trips = ([row.size_bytes for row in kept], [row.counts["round_trip_ns"] for row in kept])
        slope, intercept = np.polyfit(sizes, np.divide(trips, 2), 1)
        measured = times.rate()
        assert measured and measured.estimate.value == pytest.approx(1e9 / slope, rel=1e-9)
        assert times.intercept().estimate.value == pytest.approx(intercept / 1e9, rel=1e-6)
    assert not any(line.agrees() for line in found if line.times.sizes == line.times.curve.sizes and not line.is_piece)


def test_no_rate_of_the_mpi_reference_is_that_of_a_line_across_its_step() -> None:
    evidence, _ = reference("mpi_bandwidth_latency")
    whole = next(line.times for line in lines_beside(evidence) if line.times.curve.name == "verbs")
    pieces, (below, above) = whole.pieces(), whole.parts()
    assert pieces and pieces.at.interval
    assert (pieces.at.interval.low, pieces.at.interval.high) == (256_000, 272_000)
    assert 1 / whole.line().slope.value * 1e9 > 1.1 * whole.fastest()[0]
    rates = below.rate(), above.rate()
    assert rates[0] and 197e6 < rates[0].estimate.value < 200e6
    # A slope leaves out the intercept: so must the message that it is held against.
    fastest, size = above.fastest()
    without = size / (size / fastest - above.intercept().estimate.value)
    assert rates[1] and rates[1].estimate.interval and rates[1].estimate.interval.low < without
    assert rates[1].estimate.value <= (1 + INSTRUCTIONS) * without


def test_over_verbs_a_second_packet_makes_a_step_and_over_tcp_none() -> None:
    evidence, _ = reference("mpi_blocking_nonblocking")
    for side in sides(
        evidence, evidence.series("tcp")
    ):  # bytes that begin to count beside calls are no more than a bend
        assert side.leap is None
    for side in (each for each in sides(evidence, evidence.series("verbs")) if each.side == "send"):
        assert side.knee is None and side.leap is not None
        below, above, factor = side.leap
        assert 4000 < below < above <= 4096 and factor.value > 1.3
