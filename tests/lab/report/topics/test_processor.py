"""The processor time that programs report: lab.report.{topics,pictures,tables}.processor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from tests.lab.report import laboratory

from lab.figures import ByParameter
from lab.records.table import columns
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import Evidence
from lab.report.pictures.processor import processors
from lab.report.tables.processor import spent_table
from lab.report.topics.curves import rate
from lab.report.topics.processor import ProcessorTimes, processor_sweeps, processor_times

EXPERIMENT = """
title = "Processors on a fake link"
question = "What does a message take of them?"
[parameters]
sizes = "64..64K*4"
iterations = 400
warmup = 0
repetitions = 6
[[series]]
name = "rdma"
program = "verbs"
operation = "write"
measure = "throughput"
[[series]]
name = "trips"
program = "tcp"
operation = "send"
measure = "latency"
parameters = { wait = "event" }
[[series]]
name = "rounds"
program = "tcp"
operation = "send"
measure = "throughput"
parameters = { wait = "event", until_stable = 1 }
[[series]]
name = "peer"
program = "ib_write_bw"
operation = "write"
measure = "throughput"
[[series]]
name = "slow"
program = "tcp"
operation = "send"
measure = "throughput"
link = { mtu = 1500, rate_bit_s = 100_000_000 }
[[series]]
name = "calls"
program = "mpi-tcp"
operation = "send"
measure = "one-way"
vary.calls = ["blocking", "non-blocking"]
[[series]]
name = "depth"
program = "verbs"
operation = "write"
measure = "throughput"
vary.tx_depth = [1, 64]
[[series]]
name = "wake"
program = "verbs"
operation = "send"
measure = "latency"
vary.wait = ["poll", "event"]
"""
# Three sizes are too few for a knee, and for one's own calls.
FEW = EXPERIMENT.partition('[[series]]\nname = "calls"')[0].replace("64..64K*4", "1,4K,64K")
OURS = ("rdma", "trips", "rounds", "slow", "calls.blocking", "calls.non-blocking")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("processors")
    (made / "processors.toml").write_text(EXPERIMENT)
    return made


@pytest.fixture(scope="module")
def told(folder: Path) -> Evidence:
    return laboratory.evidence_of("processors", folder / "told", folder)


@pytest.fixture(scope="module")
def untold(folder: Path) -> Evidence:
    """Records of programs that said nothing of it yet."""
    with mock.patch.object(laboratory.UnsteadySite, "tells_processors", new=False):
        return laboratory.evidence_of("processors", folder / "untold", folder)


def by_name(evidence: Evidence) -> dict[str, ProcessorTimes]:
    return {times.curve.name: times for times in processor_times(evidence)}


def test_each_end_of_each_of_the_labs_series_has_its_time_of_a_message(told: Evidence) -> None:
    found = by_name(told)
    assert tuple(found) == OURS
    whole = 65536 / rate(subject(told, told.series("rdma")), 65536).estimate.value
    client, server = (found["rdma"].ends[end][65536].estimate for end in ("client", "server"))
    assert client.value == pytest.approx(whole / 2, rel=0.01)
    assert server.value == pytest.approx(client.value / 5, rel=0.001) and server.interval and server.n == 6
    assert found["trips"].words == "TCP, there and back" and found["slow"].words.startswith("TCP (")


def test_a_table_has_both_ends_and_a_figure_is_of_one_link(told: Evidence) -> None:
    table = spent_table(told)
    assert len(table.heads) == 3 and len(table.rows) == 2 * len(OURS)
    assert [str(row[0]) for row in table.rows[:2]] == ["RDMA WRITE, client", "RDMA WRITE, server"]
    found = {sketch.name: sketch for sketch in processors(told)}
    assert list(found) == ["processor", "processor.slow", "processor.depth"], "no figure of a sweep over words"
    (client, server) = found["processor.slow"].data.curves
    assert client.y[0].value == pytest.approx(5 * server.y[0].value, rel=0.001) and client.colour != server.colour
    assert "processor time against message size" in found["processor.slow"].draw().alt.lower()


def test_a_sweep_has_both_ends_at_each_point(told: Evidence) -> None:
    depth, wake = processor_sweeps(told)
    assert [times.curve.point for times in depth.points] == [{"tx_depth": 1}, {"tx_depth": 64}]
    assert [times.curve.point for times in wake.points] == [{"wait": "poll"}, {"wait": "event"}]
    for times in depth.points:
        client, server = (times.ends[end][65536].estimate.value for end in ("client", "server"))
        assert client == pytest.approx(5 * server, rel=0.001)
    rows = [row for row in told.rows if row.series == "depth"]
    assert all(row.counts["processor_messages"] == 400 for row in rows)
    assert "client_processor_ns" in columns(told.plan, told.rows)
    assert all("client_processor_ns" not in row.counts for row in told.rows if row.series == "peer")


def test_a_sweep_has_a_figure_of_its_smallest_and_largest_messages_at_both_ends(told: Evidence) -> None:
    found = {sketch.name: sketch for sketch in processors(told)}["processor.depth"]
    assert isinstance(found.data, ByParameter)
    names = [curve.label for curve in found.data.curves]
    assert names == ["64 B, client", "64 B, server", "64 KiB, client", "64 KiB, server"]
    assert all(curve.x == (1.0, 64.0) for curve in found.data.curves)
    assert "processor time against the depth of the send queue (tx_depth)" in found.draw().alt.lower()


def test_a_sweep_of_two_parameters_has_a_line_for_each_value_of_the_first(tmp_path: Path) -> None:
    evidence = laboratory.evidence_of("write_parameters", tmp_path)
    found = {sketch.name: sketch for sketch in processors(evidence)}["processor.lists.card"]
    assert isinstance(found.data, ByParameter)
    names = [curve.label for curve in found.data.curves]
    assert names[:2] == ["post_list 1, 1 B, client", "post_list 4, 1 B, client"] and len(names) == 3 * 2
    assert all(curve.x == (1.0, 64.0) for curve in found.data.curves)


def test_a_time_that_a_kernel_of_ticks_did_not_see_is_none(told: Evidence) -> None:
    place = ("rdma", "", "64", "server_processor_ns")
    seen = told._cells[place]
    unseen = replace(told, _cells=told._cells | {place: replace(seen, values=(0, *seen.values[1:]))})
    client = by_name(unseen)["rdma"].ends["client"]
    assert 64 not in client and 256 in client


def test_older_records_give_none_of_it(untold: Evidence) -> None:
    assert not processor_times(untold) and not processor_sweeps(untold)
    assert spent_table(untold).rows == () and not list(processors(untold))
    assert "client_processor_ns" not in columns(untold.plan, untold.rows)


@pytest.mark.parametrize("tells", [True, False])
def test_a_report_has_the_section_where_the_programs_told(tmp_path: Path, *, tells: bool) -> None:
    (tmp_path / "few.toml").write_text(FEW)
    with mock.patch.object(laboratory.UnsteadySite, "tells_processors", new=tells):
        evidence = laboratory.evidence_of("few", tmp_path / "results", tmp_path)
    body = laboratory.body_of(evidence, tmp_path)
    assert all((part in body) is tells for part in (r"\section{Processor time}", r"\label{table:spent}"))


@pytest.mark.parametrize(("times", "moves"), [(1.0, False), (1.9, False), (2.1, True)])
def test_a_report_has_the_figure_of_a_sweep_only_where_it_changes_much(
    told: Evidence, times: float, tmp_path: Path, *, moves: bool
) -> None:
    one, many = (("depth", f"tx_depth={depth}", "64", "client_processor_ns") for depth in (1, 64))
    alike = told._cells[many]
    changed = replace(alike, values=tuple(round(times * value) for value in alike.values))
    evidence = replace(told, _cells=told._cells | {one: changed, many: alike})
    depth, _ = processor_sweeps(evidence)
    assert depth.moves is moves
    assert (r"\label{figure:processor.depth}" in laboratory.body_of(evidence, tmp_path)) is moves
