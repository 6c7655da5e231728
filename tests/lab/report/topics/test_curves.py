"""Tables and figures of known costs: lab.report.topics.{curves,lines,windows}."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.lab.report import laboratory

from lab.analysis.ratios import Verdict, judge
from lab.programs.program import Sample
from lab.records.record import read_samples_of
from lab.report.context import make_context
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.pairs import pairs
from lab.report.exhibits.core import Gallery
from lab.report.query.numbers import Numbers
from lab.report.sources import People
from lab.report.topics.curves import ceiling, settlings
from lab.report.topics.latency import round_trips, trip_times
from lab.report.topics.lines import Times, message_times

SMALL = """
title = "Small"
question = "Are the numbers what the costs make them?"
[parameters]
sizes = "1..64K*4"
iterations = 400
warmup = 0
repetitions = 6
[[series]]
name = "verbs"
program = "verbs"
operation = "write"
measure = "throughput"
[[series]]
name = "tcp"
program = "tcp"
operation = "send"
measure = "throughput"
[[series]]
name = "slow"
program = "tcp"
operation = "send"
measure = "throughput"
parameters = { sizes = "4K,64K" }
link = { mtu = 1500, rate_bit_s = 100_000_000 }
[[series]]
name = "trips"
program = "verbs"
operation = "send"
measure = "latency"
parameters = { wait = "event", sizes = "1..4K*4" }
[[series]]
name = "depth"
program = "verbs"
operation = "write"
measure = "throughput"
parameters = { sizes = "1,64,4K" }
vary.tx_depth = [1, 64]
[[series]]
name = "lists"
program = "verbs"
operation = "write"
measure = "throughput"
parameters = { sizes = "64" }
vary.post_list = [1, 4]
vary.signal_every = [1, 4, 16]
"""
FIXED_NS, BYTE_NS = laboratory.COSTS["verbs-client"]


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.toml").write_text(SMALL)
    return laboratory.evidence_of("small", folder / "results", folder)


@pytest.fixture(scope="module")
def verbs(evidence: Evidence) -> Subject:
    return subject(evidence, evidence.series("verbs"))


def test_a_rate_is_the_median_of_its_repetitions(evidence: Evidence) -> None:
    numbers = Numbers(evidence)
    rate, messages = numbers.ask("verbs at 4K"), numbers.ask("verbs.messages at 4K")
    assert rate.estimate.value == pytest.approx(4096e9 / (FIXED_NS + BYTE_NS * 4096), rel=0.01)
    assert (rate.shown_unit, rate.estimate.n, len(rate.keys), rate.is_exact) == ("B/s", 6, 6, False)
    assert messages.estimate.value == pytest.approx(rate.estimate.value / 4096) and messages.shown_unit == "messages/s"


@pytest.mark.parametrize("name", ["verbs", "trips"])
def test_a_line_gives_the_cost_of_a_byte_and_of_a_message(evidence: Evidence, verbs: Subject, name: str) -> None:
    trip = round_trips(evidence, evidence.series("trips"))
    times: Times = message_times(verbs) if name == "verbs" else trip_times(trip)
    slope = times.rate()
    assert slope and slope.estimate.value == pytest.approx(1e9 / BYTE_NS, rel=0.01)
    assert times.line().intercept.value == pytest.approx(FIXED_NS, rel=0.02)
    assert (times.line().r_squared or 0) > 0.999


def test_round_trips_have_the_quantiles_that_a_trial_supports(evidence: Evidence) -> None:
    numbers = Numbers(evidence)
    for query in ("trips.rtt at 1", "2 * trips.p95 at 1", "2 * trips.p99 at 1"):
        found = numbers.ask(query).estimate
        assert found.n == 6 and found.value == pytest.approx(2e-9 * (FIXED_NS + BYTE_NS), rel=0.01)


def test_equal_windows_need_no_warm_up(verbs: Subject) -> None:
    first = next(found for found in settlings(verbs) if found.size == 4096).warm_up()
    assert first.value == pytest.approx(1, rel=1e-3) and judge(first, margin=0.01) is Verdict.WITHIN


def test_no_link_is_filled_beyond_its_ceiling_and_no_ratio_is_of_two_links(evidence: Evidence) -> None:
    slow = subject(evidence, evidence.series("slow"))
    limit = ceiling(slow.series, slow.sizes)
    assert limit is not None
    numbers = Numbers(evidence)
    shares = [numbers.ask(f"slow.filled at {size}").estimate.value for size in slow.sizes]
    assert 0.8 < max(shares) <= 1
    assert [found.name for found in pairs(evidence)] == ["verbs_over_tcp"]
    assert ceiling(evidence.series("verbs"), (1,)) is None


def test_a_record_is_unpacked_once_for_all_that_is_made_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = laboratory.evidence_of("mpi_bandwidth_latency", tmp_path)
    asked: list[str] = []

    def counted(results: Path, key: str) -> tuple[Sample, ...]:
        asked.append(key)
        return read_samples_of(results, key)

    monkeypatch.setattr("lab.report.evidence.evidence.read_samples_of", counted)
    gallery: Any = Gallery(tmp_path)
    context = make_context(Numbers(evidence), People(), gallery, [])
    assert context.has("tcp.small.p95 at 1", "tcp.small.p99 at 1") and asked
    assert len(asked) == len(set(asked))
