"""The CSV table of an experiment's records."""

import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab.fake_site import FakeSite, run_plan
from tests.toml import series_of

from lab.errors import RecordError
from lab.files.store import SUMS, seal
from lab.plan.plan import Plan
from lab.programs.program import Sample
from lab.records.record import RECORD, SAMPLES, RecordFiles, open_record, record_folder
from lab.records.recorded import read_groups
from lab.records.table import (
    COLUMNS,
    OF_PROCESSORS,
    Row,
    bytes_per_second,
    columns,
    fairness,
    format_table,
    make_table,
    parse_table,
    steady,
    stops,
    table_stamp,
)
from lab.report.evidence.evidence import gather

Make = Callable[..., Plan]


def measured(plan: Plan, site: Any, results: Path) -> str:
    run_plan(plan, site, results)
    return table_text(plan, results)


def first_row(text: str, series: str) -> Row:
    """The first repetition's row of a series for 64 bytes."""
    rows = (row for row in parse_table(text) if (row.series, row.size_bytes, row.repetition) == (series, 64, 1))
    return next(rows)


def table_text(plan: Plan, results: Path) -> str:
    rows = make_table(plan, results)
    return format_table(columns(plan, rows), rows)


def test_table_has_a_row_for_each_size(measured_plan: Plan, results: Path) -> None:
    rows = parse_table(table_text(measured_plan, results))
    assert len(rows) == 10 * 6
    ours = [row for row in rows if row.series == "ours" and row.size_bytes == 64]
    assert {row.point["tx_depth"] for row in ours} == {"64", "128"}
    assert {row.counts["completed_bytes_per_s"] for row in ours} == {round(64 / 20256 * 1e9)}
    trips = [row for row in rows if row.series == "trips" and row.size_bytes == 64]
    assert {(row.counts["round_trip_ns"], row.round_trip_kind) for row in trips} == {(40512, "median")}


def test_table_has_all_common_columns_and_others_only_if_they_are_filled(measured_plan: Plan, results: Path) -> None:
    text = table_text(measured_plan, results)
    assert (
        all(set(COLUMNS) <= set(row.cells()) for row in make_table(measured_plan, results)) and text.count(",\n") == 0
    )
    assert not {"stable", "send_mean_ns", *OF_PROCESSORS} & {*text.partition("\n")[0].split(",")}


def test_cpu_times_have_columns_if_a_program_prints_them(
    make_small_plan: Make, fake_site: FakeSite, tmp_path: Path
) -> None:
    plan = make_small_plan()
    fake_site.tells_processors = True
    text = measured(plan, fake_site, tmp_path)
    rows = parse_table(text)
    row = next(row for row in rows if (row.series, row.size_bytes) == ("ours", 64))
    counts = [row.counts[name] for name in OF_PROCESSORS]
    assert counts == [row.counts["messages"], *(row.counts["confirmed_ns"] // part for part in (2, 4, 10, 20))]
    assert format_table(columns(plan, rows), rows) == text


def windows_of(*ends: tuple[int, int], completed_ns: int) -> dict[str, list[Sample]]:
    """Windows of single bytes that end after so many messages and ns, and the last completion."""
    windows = [Sample(1, "window", index, count, count, time) for index, (count, time) in enumerate(ends)]
    return {"window": windows, "completed": [Sample(1, "completed", 0, ends[-1][0], ends[-1][0], completed_ns)]}


STALLED = [(100 * number, 1_000 * number + 8_000 * (number > 9)) for number in range(1, 21)]


@pytest.mark.parametrize(
    ("kinds", "part"),
    [
        (windows_of((100, 5_000), (500, 9_000), (1_000, 14_000), completed_ns=14_000), (900, 9_000)),
        (windows_of(*STALLED, completed_ns=28_000), (100, 1_000)),  # a stall of one window does not count
        (windows_of((100, 5_000), (1_000, 14_000), completed_ns=15_000), None),  # the receiver ended these windows
        (windows_of((300, 5_000), (1_000, 14_000), completed_ns=14_000), None),  # too few are left
        ({"completed": [Sample(1, "completed", 0, 9, 9, 14_000)]}, None),
        (windows_of(*STALLED, completed_ns=28_000) | {"share": [Sample(1, "share", 0, 9, 9, 9)] * 2}, None),
    ],
)
def test_steady_rate_leaves_out_the_start_the_end_and_stalls(
    kinds: dict[str, list[Sample]], part: tuple[int, int] | None
) -> None:
    assert steady(kinds) == ({"steady_bytes_per_s": bytes_per_second(*part)} if part else {})


def test_lost_messages_are_the_share_of_the_sent_ones_and_no_steady_rate_is_given() -> None:
    windows = [Sample(64, "window", index, 10 * index, 640 * index, 100 * index) for index in range(1, 11)]
    ends = {"sent": 100, "completed": 100, "confirmed": 75}
    kinds = {kind: [Sample(64, kind, 0, count, 64 * count, 1000)] for kind, count in ends.items()}
    values = stops({**kinds, "window": windows})
    assert (values["messages"], values["arrived_messages"], values["lost_ppm"]) == (100, 75, 250_000)
    assert values["confirmed_bytes_per_s"] == 4_800_000_000 and "steady_bytes_per_s" not in values
    assert "steady_bytes_per_s" in stops({"completed": kinds["completed"], "window": windows})


@pytest.mark.parametrize(
    ("times_ns", "ppm"), [((), None), ((50, 50, 50, 50), 1_000_000), ((10, 20), 900_000), ((1, 10**9), 500_000)]
)
def test_fairness_is_1_for_equal_rates_and_1_of_n_if_one_pair_has_everything(
    times_ns: tuple[int, ...], ppm: int | None
) -> None:
    shares = [Sample(64, "share", index, 9, 576, time_ns) for index, time_ns in enumerate(times_ns)]
    assert fairness({"share": shares}) == ({} if ppm is None else {"fairness_ppm": ppm})


ROUNDS = "\n" + series_of('rounds tcp send throughput\nparameters = { wait = "event", until_stable = 1 }')


def test_row_of_rounds_has_their_results_and_whether_they_settled(
    make_small_plan: Make, fake_site: FakeSite, experiment_file: Callable[[], Path], tmp_path: Path
) -> None:
    plan = make_small_plan(experiment_file().read_text() + ROUNDS)
    row = first_row(measured(plan, fake_site, tmp_path), "rounds")
    assert (row.counts["rounds"], row.stable, row.counts["messages"]) == (6, "yes", 200)
    assert (row.counts["confirmed_bytes"], row.counts["confirmed_ns"]) == (12800, 200 * 20256)
    assert (row.counts["round_trip_ns"], row.round_trip_kind) == (40000, "control")
    assert row.counts["completed_ns"] == 5 * (99 * 40 * 20256 // 100)


ONE_WAY = "\n" + series_of("one-way mpi-tcp send one-way")


def test_row_of_one_way_messages_has_the_times_of_each_end(
    make_small_plan: Make, fake_site: FakeSite, experiment_file: Callable[[], Path], tmp_path: Path
) -> None:
    plan = make_small_plan(experiment_file().read_text() + ONE_WAY)
    row = first_row(measured(plan, fake_site, tmp_path), "one-way")
    sent, received = (("send_mean_ns", "send_median_ns"), ("receive_mean_ns", "receive_median_ns"))
    assert row.counts["messages"] == 40 and [row.counts[name] for name in sent] == [20256, 20256]
    assert [row.counts[name] for name in received] == [24307, 24307]


def test_stamp_changes_with_the_records_and_their_content(measured_plan: Plan, results: Path) -> None:
    stamps = [table_stamp(measured_plan, results / "none"), table_stamp(measured_plan, results)]
    for name in (RECORD, SAMPLES):
        file = record_folder(results, measured_plan.planned[0].trial.key) / name
        file.write_bytes(file.read_bytes() + b" ")
        seal(file.parent)
        stamps.append(table_stamp(measured_plan, results))
    assert len(set(stamps)) == 4 and stamps[-1] == table_stamp(measured_plan, results)


@given(st.integers(1, 2**50), st.integers(1, 2**50))
def test_rates_are_rounded_to_the_nearest_whole_byte(count: int, time_ns: int) -> None:
    rate = bytes_per_second(count, time_ns)
    assert abs(rate * time_ns - count * 10**9) * 2 <= time_ns


@pytest.mark.parametrize("read", [gather, make_table])
def test_each_file_of_a_record_is_read_once(
    measured_plan: Plan, results: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[..., Any]
) -> None:
    """Digest and content share one reading: a second reading of hundreds of records takes long."""
    opened, real = Counter[Path](), Path.open

    def counted(path: Path, *words: Any, **more: Any) -> Any:
        opened[path] += 1
        return real(path, *words, **more)

    monkeypatch.setattr(Path, "open", counted)
    assert read(measured_plan, results)
    assert len(opened) == 5 * len(measured_plan.trials()) and set(opened.values()) == {1}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", [RECORD, SAMPLES, SUMS])
def test_pipe_in_place_of_a_file_is_not_waited_for(measured_plan: Plan, results: Path, name: str) -> None:
    key = measured_plan.planned[0].trial.key
    file = record_folder(results, key) / name
    file.unlink()
    os.mkfifo(file)
    assert len(make_table(measured_plan, results)) == 9 * 6
    started = {started for group in read_groups(results) for started in group.started}
    assert (key in started) == (name == SAMPLES)
    for read in (RecordFiles.facts, RecordFiles.samples):
        with suppress(RecordError):
            read(open_record(results, key))
