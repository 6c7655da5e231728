"""Rounds until they are stable: lab.report.topics.rounds, and their part of a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab.fake_site import FakeSite
from tests.lab.report import laboratory

from lab.errors import RecordError
from lab.experiment.experiment import Point
from lab.plan.plan import Plan
from lab.records.record import Record, read_facts, read_samples_of, write_record
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import Evidence, gather
from lab.report.topics.rounds import Rounds, rounds_of
from lab.run.run import RunSetup, missing, run_trials

EXPERIMENT = """
title = "Rounds on a fake link"
question = "Do they agree?"
[parameters]
sizes = "1..1K*4"
iterations = 40
repetitions = 6
wait = "event"
until_stable = 1
[[series]]
name = "rounds"
program = "tcp"
operation = "send"
measure = "throughput"
[[series]]
name = "writes"
program = "verbs"
operation = "write"
measure = "throughput"
[[series]]
name = "reads"
program = "verbs"
operation = "read"
measure = "throughput"
[[series]]
name = "fast"
program = "tcp"
operation = "send"
measure = "throughput"
parameters = { sizes = "256,1K" }
link = { rate_bit_s = 350_000_000 }
[[series]]
name = "bytes"
program = "tcp"
operation = "send"
measure = "throughput"
parameters = { sizes = "1K" }
vary.iterations = [1, 4]
"""
MESSAGE_NS = 20_000 + 4 * 64  # of the fake site, 64 bytes


@pytest.fixture
def plan(make_small_plan: Callable[..., Plan], fake_site: FakeSite, tmp_path: Path) -> Plan:
    made = make_small_plan(EXPERIMENT)
    run_trials(RunSetup(fake_site, made.site, tmp_path), missing([made], tmp_path)[0], 2, lambda *_: None)
    return made


@pytest.fixture
def evidence(plan: Plan, tmp_path: Path) -> Evidence:
    return gather(plan, tmp_path)


def rounds_at(evidence: Evidence, name: str, size: int, point: Point | None = None) -> Rounds:
    return next(found for found in rounds_of(subject(evidence, evidence.series(name), point)) if found.size == size)


# By series: the time of a round that the correction takes as that of its data.
OF_DATA_NS = {"rounds": 40 * MESSAGE_NS - 20_000, "writes": 0.99 * 40 * MESSAGE_NS, "reads": 0.99 * 40 * MESSAGE_NS}


@pytest.mark.parametrize("name", OF_DATA_NS)
def test_a_size_has_its_throughput_plain_and_corrected(evidence: Evidence, name: str) -> None:
    found = rounds_at(evidence, name, 64)
    correction = found.correction()
    assert found.bytes / found.times_ns[0] == pytest.approx(64 / MESSAGE_NS)
    assert correction.rate and correction.rate.value == pytest.approx(1e9 * 64 * 40 / OF_DATA_NS[name])
    assert correction.share.value == pytest.approx(1 - OF_DATA_NS[name] / (40 * MESSAGE_NS), rel=1e-3)
    assert found.reached == len(found.counts) == 6 and set(found.counts) == {6}
    assert set(found.trips_ns) == {40_000} and min(found.spreads) >= 1


# The ways of tests/bench/test_rounds.c: a trip is 30 us there and 20 us back, and 100 messages take 2 us each.
THERE_NS, BACK_NS, DATA_NS, MESSAGES = 30_000, 20_000, 200_000, 100


@pytest.mark.parametrize("back_ns", [0, BACK_NS, THERE_NS + BACK_NS], ids=["nothing", "some", "all"])
@pytest.mark.parametrize("operation", ["send", "write-imm", "write", "read"])
def test_the_interval_holds_the_truth_of_known_ways(evidence: Evidence, operation: str, back_ns: int) -> None:
    curve = subject(evidence, evidence.series("rounds"))
    trip_ns, rounds = THERE_NS + BACK_NS, 10
    arrived_ns = trip_ns - back_ns + rounds * DATA_NS
    completed_ns = arrived_ns + back_ns
    told_ns = completed_ns + trip_ns if operation in ("write", "read") else completed_ns
    found = Rounds(
        replace(curve, series=replace(curve.series, operation=operation)),
        64,
        64 * MESSAGES * rounds,
        (5,) * 6,
        6,
        tuple(told_ns + luck for luck in range(-3, 3)),
        tuple(completed_ns + luck for luck in range(-3, 3)),
        (trip_ns,) * 6,
    )
    rate = found.correction().rate
    true_ns = completed_ns if operation == "read" else arrived_ns
    assert rate is not None and rate.interval is not None
    assert rate.interval.contains(64 * MESSAGES * rounds / (true_ns * 1e-9))


def test_a_round_that_is_hardly_longer_than_the_trip_is_not_corrected(evidence: Evidence) -> None:
    correction = rounds_at(evidence, "bytes", 1024, {"iterations": 1}).correction()
    assert correction.rate is None and correction.share.value > 0.1


def test_a_report_shows_which_repetitions_agreed_and_what_the_correction_takes_off(
    evidence: Evidence, tmp_path: Path
) -> None:
    body = laboratory.body_of(evidence, tmp_path)
    assert "In all repetitions the rounds of \\texttt{rounds} agree at \\claim{rounds.agreed} of 6 sizes." in body
    assert r"\label{figure:agreed}" in body and r"\label{figure:rounds}" in body
    assert "half of the round trip of the control message, or, for RDMA WRITE and READ, what follows the last" in body


def test_a_corrected_throughput_above_the_rate_of_the_link_is_named(evidence: Evidence, tmp_path: Path) -> None:
    rate = rounds_at(evidence, "fast", 1024).correction().rate
    assert rate and rate.interval and rate.interval.high > 350e6 / 8 > rate.value
    body = " ".join(laboratory.body_of(evidence, tmp_path).split())
    assert r"above the rate of the link takes off too much: \texttt{fast} at \qty{1}{\kibi\byte}." in body


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("round", lambda sample: replace(sample, time_ns=2 * sample.time_ns) if sample.index == 5 else sample),
        ("settled", lambda sample: replace(sample, sample="unsettled")),
    ],
    ids=["the last round is slower", "called unsettled"],
)
def test_rounds_that_stop_elsewhere_than_the_rule_says_are_refused(
    plan: Plan, tmp_path: Path, kind: str, change: Callable[[Any], Any]
) -> None:
    key = plan.planned[0].trial.key
    samples = tuple(change(sample) if sample.sample == kind else sample for sample in read_samples_of(tmp_path, key))
    write_record(tmp_path, Record(read_facts(tmp_path, key), samples))
    with pytest.raises(RecordError, match="than the rule says"):
        rounds_at(gather(plan, tmp_path), "rounds", plan.planned[0].series.sizes("fake")[-1])
