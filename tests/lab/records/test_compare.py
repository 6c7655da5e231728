"""Rows compared: with the reference, and series with their peers."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite, run_plan

from lab.errors import LabError
from lab.experiment.experiment import Comparison
from lab.experiment.reader import load
from lab.places import EXPERIMENTS
from lab.plan.plan import Plan
from lab.records.compare import compare, compare_rows, first_difference, format_result, verify
from lab.records.reference import IDENTITY, changed_parts, read_reference, write_reference
from lab.records.table import Row, columns, format_table, make_table

Make = Callable[..., Plan]
RATIO = Comparison("ours / peers", "ours", 1.0, ("slow", "fast"))


def run(plan: Plan, site: FakeSite, results: Path) -> list[Row]:
    run_plan(plan, site, results)
    return make_table(plan, results)


def test_second_run_is_identical_or_its_first_difference_is_named(make_small_plan: Make, tmp_path: Path) -> None:
    plan = make_small_plan()
    rows = run(plan, FakeSite(), tmp_path / "one")
    reference = format_table(columns(plan, rows), rows)
    run(plan, FakeSite(), tmp_path / "two")
    verdict = verify(plan, tmp_path / "two", reference)
    assert verdict.holds and verdict.lines() == ["small: identical (60 rows)"]
    changed = verify(plan, tmp_path / "two", reference.replace(",64,40,", ",64,41,", 1))
    assert not changed.holds
    assert changed.lines() == [
        "small: row 4 (peer ib_write_bw write throughput repetition=1 size_bytes=64): "
        "messages is 40, the reference has 41"
    ]


def test_differing_and_missing_rows_are_counted(measured_plan: Plan, results: Path) -> None:
    rows = make_table(measured_plan, results)
    others = [
        replace(row, counts={**row.counts, "messages": 0}) if number in (5, 8, 9) else row
        for number, row in enumerate(rows)
    ]
    sentence = first_difference(others, rows)
    assert sentence and sentence.startswith("row 6 ") and sentence.endswith("; 3 rows differ")
    assert first_difference(rows[:-1], rows) == "59 rows, the reference has 60"
    assert first_difference(rows, rows) is None and first_difference([], []) is None


def test_medians_have_a_tolerance_under_another_identity(make_small_plan: Make, tmp_path: Path) -> None:
    site = FakeSite()
    site.tells_processors = True  # CPU times are compared as bytes only
    rows = run(make_small_plan(), site, tmp_path / "one")
    others = run(make_small_plan(digest="e"), FakeSite(), tmp_path / "two")
    same = compare_rows("small", rows, others, identical=False)
    assert same.holds and set(same.ratios.values()) == {1} and len(same.lines()) == 2 + len(same.ratios)
    assert {place.column for place in same.ratios} == {
        "completed_bytes_per_s", "confirmed_bytes_per_s", "round_trip_ns"
    }  # fmt: skip
    rate = "completed_bytes_per_s"
    twice = [
        replace(row, counts={**row.counts, rate: 2 * row.counts[rate]}) if rate in row.counts else row for row in others
    ]
    wrong = compare_rows("small", rows, twice, identical=False)
    halves = [ratio for ratio in wrong.ratios.values() if ratio != 1]
    assert set(halves) == {0.5} and "".join(wrong.lines()).count("OUTSIDE") == len(halves)
    assert not compare_rows("small", rows, rows, identical=False).ratios


def row(series: str, size: int, **values: int) -> Row:
    return Row(series, "", "", "", 1, size, "", counts=values)


def rows_of(name: str, **rates: int) -> list[Row]:
    return [row(series, 64, **{name: rate}) for series, rate in rates.items()]


def test_throughput_and_latency_are_compared_with_the_best_peer() -> None:
    rates = compare(RATIO, rows_of("completed_bytes_per_s", ours=300, slow=100, fast=200))
    times = compare(RATIO, rows_of("round_trip_ns", ours=200, slow=400, fast=300))
    assert rates.ratios == times.ratios == {64: 1.5} and (rates.unit, times.unit) == ("B/s", "ns") and rates.holds
    assert not compare(RATIO, []).holds and "not measured on both sides" in format_result(compare(RATIO, []))


def test_receivers_rate_is_compared_only_if_all_series_have_it() -> None:
    table = [
        row("ours", 64, completed_bytes_per_s=400, confirmed_bytes_per_s=300),
        row("slow", 64, completed_bytes_per_s=100, confirmed_bytes_per_s=100),
        row("fast", 64, completed_bytes_per_s=200),
    ]
    assert compare(RATIO, table).ratios == {64: 2.0}
    table[2] = row("fast", 64, completed_bytes_per_s=200, confirmed_bytes_per_s=200)
    assert compare(RATIO, table).ratios == {64: 1.5}


def test_bound_on_the_mean_holds_for_the_mean() -> None:
    table = [*rows_of("completed_bytes_per_s", ours=120, fast=100), row("ours", 128, completed_bytes_per_s=1)]
    table.append(row("fast", 128, completed_bytes_per_s=100))
    result = compare(Comparison("mean", "ours", 1.1, ("fast",), geometric_mean_up_to=64), table)
    assert result.holds and round(result.geometric_mean, 3) == 1.2
    assert "geometric mean up to 64: 1.200" in format_result(result)


@pytest.mark.parametrize(("rate", "holds"), [(990, False), (996, True), (1000, True), (1001, False)])
def test_physical_limit_is_neither_missed_nor_exceeded(rate: int, *, holds: bool) -> None:
    limit = Comparison("limit", "ours", 0.995, limit_bytes_per_s=1000)
    assert compare(limit, rows_of("confirmed_bytes_per_s", ours=rate)).holds is holds


def test_bench_compares_with_every_setting_of_ib_write_bw_at_the_21_sizes_also_over_a_card() -> None:
    bench = load(EXPERIMENTS / "bench.toml")
    series = {each.name: each for each in bench.series}
    kernel, card = (each for each in bench.comparisons if each.name.endswith("the best of ib_write_bw"))
    assert [each.replace("wb.", "wb.card.") for each in kernel.peers] == list(card.peers)
    for name in (card.ours, *card.peers):
        assert series[name].has_card and series[name].sizes("exact") == tuple(2**power for power in range(21))


PROGRAMS = ["tcp-client", "tcp-server", "verbs-client", "verbs-server"]


def test_run_is_verified_with_a_written_reference(
    make_small_plan: Make, measured_plan: Plan, results: Path, tmp_path: Path
) -> None:
    assert write_reference([measured_plan], results, tmp_path) == {tmp_path / "small.csv": 60}
    assert verify(measured_plan, results, read_reference(measured_plan, tmp_path)).identical
    assert changed_parts([measured_plan], tmp_path) == []
    assert changed_parts([make_small_plan(digest="e")], tmp_path) == PROGRAMS


@pytest.mark.parametrize("others", [[], ["mpi-pingpong"]])
def test_reference_keeps_the_identity_of_other_experiments(
    measured_plan: Plan, results: Path, tmp_path: Path, others: list[str]
) -> None:
    if others:
        (tmp_path / "other.csv").touch()
    (tmp_path / IDENTITY).write_text('{"mpi-pingpong": "d", "verbs-client": "old"}')
    write_reference([measured_plan], results, tmp_path)
    assert changed_parts([measured_plan], tmp_path) == others


def test_missing_reference_hints_at_the_command_that_makes_it(make_small_plan: Make, tmp_path: Path) -> None:
    with pytest.raises(LabError, match="lab table small --reference"):
        read_reference(make_small_plan(), tmp_path)
