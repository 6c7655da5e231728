"""Records as tables, and tables held against each other: lab.records.{record,row,tolerance}."""

import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab import fake_site as fake_module
from tests.lab.fake_site import FakeSite

from lab.errors import RecordError
from lab.files.store import SUMS, seal
from lab.plan.plan import Plan
from lab.programs.program import Sample
from lab.records.compare import compare_rows, first_difference, verify
from lab.records.record import RECORD, SAMPLES, read_facts, read_samples_of, record_folder
from lab.records.recorded import INDEX, read_groups
from lab.records.table import (
    COLUMNS,
    OF_PROCESSORS,
    Row,
    bytes_per_second,
    columns,
    format_table,
    make_table,
    parse_table,
    steady,
    table_stamp,
)
from lab.report.evidence.evidence import gather
from lab.run.run import RunSetup, missing, run_trials

Make = Callable[..., Plan]


def measured(plan: Plan, site: Any, results: Path) -> str:
    run_trials(RunSetup(site, plan.site, results), missing([plan], results)[0], 2, lambda *_: None)
    rows = make_table(plan, results)
    return format_table(columns(plan, rows), rows)


def test_a_table_has_a_row_for_each_size(make_small_plan: Make, fake_site: FakeSite, tmp_path: Path) -> None:
    plan = make_small_plan()
    rows = parse_table(measured(plan, fake_site, tmp_path))
    assert len(rows) == 10 * 6
    ours = [row for row in rows if row.series == "ours" and row.size_bytes == 64]
    assert {row.point["tx_depth"] for row in ours} == {"64", "128"}
    assert {row.counts["completed_bytes_per_s"] for row in ours} == {round(64 / 20256 * 1e9)}
    trips = [row for row in rows if row.series == "trips" and row.size_bytes == 64]
    assert {(row.counts["round_trip_ns"], row.round_trip_kind) for row in trips} == {(40512, "median")}


def test_rows_hold_every_common_column_even_if_empty(
    make_small_plan: Make, fake_site: FakeSite, tmp_path: Path
) -> None:
    plan = make_small_plan()
    text = measured(plan, fake_site, tmp_path)
    assert all(set(COLUMNS) <= set(row.cells()) for row in make_table(plan, tmp_path)) and text.count(",\n") == 0


def windows_of(*ends: tuple[int, int], completed_ns: int) -> dict[str, list[Sample]]:
    """Windows of single bytes that end after so many messages and ns, and the last completion."""
    windows = [Sample(1, "window", index, count, count, time) for index, (count, time) in enumerate(ends)]
    return {"window": windows, "completed": [Sample(1, "completed", 0, ends[-1][0], ends[-1][0], completed_ns)]}


def test_a_steady_rate_leaves_out_the_start_and_the_end_of_a_run() -> None:
    kinds = windows_of((100, 5_000), (500, 9_000), (1_000, 14_000), completed_ns=14_000)
    assert steady(kinds) == {"steady_bytes_per_s": bytes_per_second(900, 9_000)}


def test_a_stall_of_one_window_is_no_part_of_a_steady_rate() -> None:
    ends = [(100 * number, 1_000 * number + 8_000 * (number > 9)) for number in range(1, 21)]
    assert steady(windows_of(*ends, completed_ns=28_000)) == {"steady_bytes_per_s": bytes_per_second(100, 1_000)}


@pytest.mark.parametrize(
    "kinds",
    [
        windows_of((100, 5_000), (1_000, 14_000), completed_ns=15_000),  # the receiver ended these windows
        windows_of((300, 5_000), (1_000, 14_000), completed_ns=14_000),  # too few are left
        {"completed": [Sample(1, "completed", 0, 9, 9, 14_000)]},
    ],
)
def test_a_run_without_windows_of_its_own_has_no_steady_rate(kinds: dict[str, list[Sample]]) -> None:
    assert steady(kinds) == {}


ROUNDS = """
[[series]]
name = "rounds"
program = "tcp"
operation = "send"
measure = "throughput"
parameters = { wait = "event", until_stable = 1 }
"""


def test_a_row_of_rounds_says_what_they_came_to_and_whether_they_agreed(
    make_small_plan: Make, fake_site: FakeSite, experiment_file: Callable[[], Path], tmp_path: Path
) -> None:
    plan = make_small_plan(experiment_file().read_text() + ROUNDS)
    rows = [row for row in parse_table(measured(plan, fake_site, tmp_path)) if row.series == "rounds"]
    (row,) = (row for row in rows if (row.size_bytes, row.repetition) == (64, 1))
    assert (row.counts["rounds"], row.stable, row.counts["messages"]) == (6, "yes", 200)
    assert (row.counts["confirmed_bytes"], row.counts["confirmed_ns"]) == (12800, 200 * 20256)
    assert (row.counts["round_trip_ns"], row.round_trip_kind) == (40000, "control")
    assert row.counts["completed_ns"] == 5 * (99 * 40 * 20256 // 100)


def test_processor_times_have_columns_where_a_program_said_them_and_are_compared_as_bytes_only(
    make_small_plan: Make, fake_site: FakeSite, tmp_path: Path
) -> None:
    plan = make_small_plan()
    untold = measured(plan, fake_site, tmp_path / "untold")
    fake_site.tells_processors = True
    text = measured(plan, fake_site, tmp_path / "told")
    rows, before = parse_table(text), parse_table(untold)
    row = next(row for row in rows if (row.series, row.size_bytes) == ("ours", 64))
    counts = [row.counts[name] for name in OF_PROCESSORS]
    assert counts == [row.counts["messages"], *(row.counts["confirmed_ns"] // part for part in (2, 4, 10, 20))]
    assert "processor" not in untold and format_table(columns(plan, rows), rows) == text
    assert "processor_messages is" in str(first_difference(rows, before))
    other = [replace(row, record="other") for row in rows]
    compared = {each.place.column for each in compare_rows("", rows, other, identical=False).ratios}
    assert compared == {"completed_bytes_per_s", "confirmed_bytes_per_s", "round_trip_ns"}


def test_only_a_table_with_rounds_has_columns_for_them(make_small_plan: Make) -> None:
    assert "stable" not in columns(make_small_plan(), ())


ONE_WAY = """
[[series]]
name = "one-way"
program = "mpi-tcp"
operation = "send"
measure = "one-way"
"""


def test_a_row_of_one_way_messages_holds_each_ends_own_times(
    make_small_plan: Make, fake_site: FakeSite, experiment_file: Callable[[], Path], tmp_path: Path
) -> None:
    plan = make_small_plan(experiment_file().read_text() + ONE_WAY)
    rows = [row for row in parse_table(measured(plan, fake_site, tmp_path)) if row.series == "one-way"]
    (row,) = (row for row in rows if (row.size_bytes, row.repetition) == (64, 1))
    sent, received = (("send_mean_ns", "send_median_ns"), ("receive_mean_ns", "receive_median_ns"))
    assert row.counts["messages"] == 40 and [row.counts[name] for name in sent] == [20256, 20256]
    assert [row.counts[name] for name in received] == [24307, 24307]


def test_only_a_table_with_one_way_messages_has_columns_for_them(make_small_plan: Make) -> None:
    assert "send_mean_ns" not in columns(make_small_plan(), ())


def test_a_stamp_changes_with_the_records_that_are_there(
    make_small_plan: Make, fake_site: FakeSite, tmp_path: Path
) -> None:
    plan = make_small_plan()
    before = table_stamp(plan, tmp_path)
    measured(plan, fake_site, tmp_path)
    after = table_stamp(plan, tmp_path)
    assert before != after == table_stamp(plan, tmp_path)


def test_a_stamp_changes_with_what_is_in_a_record(make_small_plan: Make, fake_site: FakeSite, tmp_path: Path) -> None:
    plan = make_small_plan()
    measured(plan, fake_site, tmp_path)
    stamps = [table_stamp(plan, tmp_path)]
    for name in (RECORD, SAMPLES):
        file = record_folder(tmp_path, plan.planned[0].trial.key) / name
        file.write_bytes(file.read_bytes() + b" ")
        seal(file.parent)
        stamps.append(table_stamp(plan, tmp_path))
    assert len(set(stamps)) == 3


@given(st.integers(1, 2**50), st.integers(1, 2**50))
def test_rates_are_rounded_to_the_nearest_whole_byte(count: int, time_ns: int) -> None:
    rate = bytes_per_second(count, time_ns)
    assert abs(rate * time_ns - count * 10**9) * 2 <= time_ns


def test_a_run_again_from_nothing_is_identical(make_small_plan: Make, tmp_path: Path) -> None:
    plan = make_small_plan()
    reference = measured(plan, fake_module.FakeSite(), tmp_path / "one")
    measured(plan, fake_module.FakeSite(), tmp_path / "two")
    verdict = verify(plan, tmp_path / "two", reference)
    assert verdict.holds and verdict.lines() == ["small: identical (60 rows)"]


def test_the_first_difference_is_named(make_small_plan: Make, fake_site: FakeSite, tmp_path: Path) -> None:
    plan = make_small_plan()
    reference = measured(plan, fake_site, tmp_path).replace(",64,40,", ",64,41,", 1)
    verdict = verify(plan, tmp_path, reference)
    assert not verdict.holds
    assert verdict.difference == (
        "row 4 (peer ib_write_bw write throughput repetition=1 size_bytes=64): messages is 40, the reference says 41"
    )


def test_under_another_identity_medians_are_compared_with_a_tolerance(make_small_plan: Make, tmp_path: Path) -> None:
    plan, other = make_small_plan(), make_small_plan(digest="e")
    rows = parse_table(measured(plan, fake_module.FakeSite(), tmp_path / "one"))
    again = parse_table(measured(other, fake_module.FakeSite(), tmp_path / "two"))
    same = compare_rows("small", rows, again, identical=False)
    assert same.holds and {each.ratio for each in same.ratios} == {1}
    assert not compare_rows("small", rows, rows, identical=False).ratios
    twice = [replace(row, counts={**row.counts, **_doubled(row, "completed_bytes_per_s")}) for row in again]
    assert {each.ratio for each in compare_rows("", rows, twice, identical=False).ratios if not each.holds} == {0.5}


def _doubled(row: Row, column: str) -> dict[str, int]:
    return {column: 2 * row.counts[column]} if column in row.counts else {}


def test_the_rows_that_differ_are_counted(make_small_plan: Make, fake_site: FakeSite, tmp_path: Path) -> None:
    rows = parse_table(measured(make_small_plan(), fake_site, tmp_path))
    others = [
        replace(row, counts={**row.counts, "messages": 0}) if number in (5, 8, 9) else row
        for number, row in enumerate(rows)
    ]
    told = first_difference(others, rows)
    assert told and told.startswith("row 6 ") and told.endswith("; 3 rows differ")


def test_missing_rows_are_a_difference(make_small_plan: Make, fake_site: FakeSite, tmp_path: Path) -> None:
    rows = parse_table(measured(make_small_plan(), fake_site, tmp_path))
    assert first_difference(rows[:-1], rows) == "59 rows, the reference has 60"


@pytest.mark.parametrize("read", [gather, make_table])
def test_each_file_of_a_record_is_read_once(
    make_small_plan: Make,
    fake_site: FakeSite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    read: Callable[..., Any],
) -> None:
    """For its digest and for what it says together: of hundreds of records a second reading takes long."""
    plan = make_small_plan()
    measured(plan, fake_site, tmp_path)
    opened, real = Counter[Path](), Path.open

    def counted(path: Path, *words: Any, **more: Any) -> Any:
        opened[path] += 1
        return real(path, *words, **more)

    monkeypatch.setattr(Path, "open", counted)
    assert read(plan, tmp_path)
    assert len(opened) == 5 * len(plan.trials()) and set(opened.values()) == {1}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", [RECORD, SAMPLES, SUMS, INDEX])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    make_small_plan: Make, fake_site: FakeSite, tmp_path: Path, name: str
) -> None:
    plan = make_small_plan()
    measured(plan, fake_site, tmp_path)
    key = plan.planned[0].trial.key
    read_groups(tmp_path)
    place = (tmp_path if name == INDEX else record_folder(tmp_path, key)) / name
    place.unlink()
    os.mkfifo(place)
    assert len(make_table(plan, tmp_path)) == (10 if name == INDEX else 9) * 6
    started = {each for group in read_groups(tmp_path) for each in group.started}
    assert (key in started) == (name != RECORD)
    for read in () if name == INDEX else (read_facts, read_samples_of):
        with suppress(RecordError):
            read(tmp_path, key)
