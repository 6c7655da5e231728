"""Rounds until they are stable: lab.report.{draft,pictures,tables}.rounds, lab.report.claims.twins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab.fake_site import FakeSite
from tests.lab.report.laboratory import changed

from lab.analysis.estimate import Estimate, Interval
from lab.errors import RecordError
from lab.plan.plan import Plan
from lab.records.record import Record, read_facts, read_samples_of, write_record
from lab.report.check.text import refused
from lab.report.claim import Claim
from lab.report.claims.ledger import make_claims, make_ledger
from lab.report.claims.rounds import Rounds, rounds_curves, rounds_of
from lab.report.draft.draft import draft
from lab.report.draft.rounds import NO_PROMISE
from lab.report.evidence.evidence import Evidence, gather
from lab.report.pictures import pictures
from lab.report.tables.rounds import round_tables
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


def test_each_size_is_claimed_plain_and_corrected_in_the_unit_of_all_rates(evidence: Evidence) -> None:
    ledger = make_ledger(evidence)
    plain, corrected = ledger["rounds.64.plain"], ledger["rounds.64.corrected"]
    assert plain.unit == corrected.unit == ledger["rounds.peak"].unit == "B/s"
    assert plain.estimate.value == pytest.approx(1e9 * 64 / MESSAGE_NS)
    assert corrected.estimate.value == pytest.approx(1e9 * 64 * 40 / (40 * MESSAGE_NS - 20_000))
    assert ledger["rounds.64.share"].estimate.value == pytest.approx(100 * 20_000 / (40 * MESSAGE_NS))
    assert ledger["rounds.64.control_trip"].estimate.value == pytest.approx(40_000e-9)


def test_writes_and_reads_are_corrected_to_their_last_completion(evidence: Evidence) -> None:
    ledger = make_ledger(evidence)
    completed_ns = 0.99 * 40 * MESSAGE_NS
    for name in ("writes", "reads"):
        assert ledger[f"{name}.64.plain"].estimate.value == pytest.approx(1e9 * 64 / MESSAGE_NS)
        assert ledger[f"{name}.64.corrected"].estimate.value == pytest.approx(1e9 * 64 * 40 / completed_ns)
        assert ledger[f"{name}.64.share"].estimate.value == pytest.approx(1, rel=1e-3)
        assert "to the last completion" in ledger[f"{name}.64.corrected"].meaning


# The ways of tests/bench/test_rounds.c: a trip is 30 us there and 20 us back, and 100 messages take 2 us each.
THERE_NS, BACK_NS, DATA_NS, MESSAGES = 30_000, 20_000, 200_000, 100


@pytest.mark.parametrize("back_ns", [0, BACK_NS, THERE_NS + BACK_NS], ids=["nothing", "some", "all"])
@pytest.mark.parametrize("operation", ["send", "write-imm", "write", "read"])
def test_the_interval_holds_the_truth_of_known_ways(evidence: Evidence, operation: str, back_ns: int) -> None:
    curve = next(iter(rounds_curves(evidence)))
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
    ledger = make_ledger(evidence)
    assert "bytes.1.1K.corrected" not in ledger and ledger["bytes.1.1K.share"].estimate.value > 10
    assert (ledger["bytes.1.refused"].estimate.value, ledger["rounds.refused"].estimate.value) == (1, 0)


def test_the_table_says_how_many_rounds_it_took_and_in_how_many_repetitions_they_agreed(evidence: Evidence) -> None:
    tables = {str(table.series): table for table in round_tables(make_claims(evidence))}
    assert [row[2:4] for row in tables["rounds"].rows] == [("6", "6/6")] * 6
    assert [row[-1] for row in tables["bytes"].rows] == ["--", "--"]


def test_each_link_has_a_figure_of_both_throughputs(evidence: Evidence) -> None:
    (picture,) = (each for each in pictures(make_claims(evidence)) if each.name == "corrected")
    assert [curve.label for curve in picture.data.curves] == [
        f"{name}{words}" for name in ("TCP", "RDMA WRITE", "RDMA READ") for words in ("", ", corrected")
    ]


def test_the_draft_says_how_many_sizes_agreed(evidence: Evidence) -> None:
    claims = make_claims(evidence)
    assert r"The rounds of TCP agreed in every repetition at all \claim{rounds.agreed} sizes." in draft(claims)
    some = {"rounds.agreed": 4.0, "rounds.unsettled": 2.0}

    def loose(each: Claim) -> Claim:
        return replace(each, estimate=replace(each.estimate, value=some.get(each.name, each.estimate.value)))

    assert r"at \claim{rounds.agreed} sizes; at \claim{rounds.unsettled} others" in draft(changed(claims, loose))


@contextmanager
def changed_record(plan: Plan, results: Path, change: Callable[[Any], Any]) -> Iterator[Evidence]:
    key = plan.planned[0].trial.key
    samples = tuple(change(sample) for sample in read_samples_of(results, key))
    write_record(results, Record(read_facts(results, key), samples))
    yield gather(plan, results)


def test_rounds_that_stop_elsewhere_than_the_rule_says_are_refused(plan: Plan, tmp_path: Path) -> None:
    def slower(sample: Any) -> Any:
        return replace(sample, time_ns=2 * sample.time_ns) if (sample.sample, sample.index) == ("round", 5) else sample

    with changed_record(plan, tmp_path, slower) as evidence, pytest.raises(RecordError, match="than the rule says"):
        list(rounds_of(rounds_curves(evidence)[0]))


def test_rounds_that_agreed_are_not_called_unsettled(plan: Plan, tmp_path: Path) -> None:
    def renamed(sample: Any) -> Any:
        return replace(sample, sample="unsettled") if sample.sample == "settled" else sample

    with changed_record(plan, tmp_path, renamed) as evidence, pytest.raises(RecordError, match="than the rule says"):
        list(rounds_of(rounds_curves(evidence)[0]))


def test_two_series_that_measured_the_same_and_came_out_otherwise_are_a_finding_about_the_rule(
    make_small_plan: Callable[..., Plan], fake_site: FakeSite, tmp_path: Path
) -> None:
    made = make_small_plan(EXPERIMENT.replace("[1, 4]", "[1, 40]"))
    run_trials(RunSetup(fake_site, made.site, tmp_path), missing([made], tmp_path)[0], 2, lambda *_: None)
    claims = make_claims(gather(made, tmp_path))
    assert [each.ratio.name for each in claims.twins] == ["bytes.40.1K.over_rounds"]
    assert claims.twins[0].ratio.estimate.value == pytest.approx(1, rel=0.01) and NO_PROMISE not in draft(claims)

    def faster(each: Claim) -> Claim:
        return replace(each, estimate=Estimate(1.5, Interval(1.4, 1.6), 6)) if "over_rounds" in each.name else each

    text = draft(changed(claims, faster))
    assert NO_PROMISE in text and r"is \claim{bytes.40.1K.over_rounds} times that of" in text
    assert list(refused(text, "draft", claims.ledger)) == []


def test_rounds_that_differ_within_a_repetition_say_by_how_much(evidence: Evidence) -> None:
    ledger = make_ledger(evidence)
    assert ledger["rounds.64.spread"].estimate.value >= 1
    assert ledger["rounds.64.spread"].base_link == ledger["rounds.64.spread"].link
