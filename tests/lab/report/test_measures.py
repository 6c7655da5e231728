"""What is claimed of sizes: lab.report.{claims,pictures}.{latency,throughput,windows}, lab.report.pictures.sweeps."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.analysis.estimate import Estimate, Interval
from lab.analysis.verdict import Verdict, judge
from lab.figures import ByParameter, HeatMap, Latency
from lab.programs.request import Sample
from lab.records.record import read_samples_of
from lab.report.check.text import refused
from lab.report.claim import ClaimKind, Ledger
from lab.report.claims.ledger import make_claims, make_ledger
from lab.report.draft.draft import draft
from lab.report.evidence.evidence import Evidence
from lab.report.pictures import pictures

SMALL = """
title = "Small"
question = "Are the claims what the costs make them?"
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
def ledger(evidence: Evidence) -> Ledger:
    return make_ledger(evidence)


def test_a_line_gives_the_cost_of_a_byte_and_of_a_message(ledger: Ledger) -> None:
    assert ledger["verbs.fit.rate"].estimate.value == pytest.approx(1e9 / BYTE_NS, rel=0.01)
    assert ledger["verbs.fit.intercept"].estimate.value == pytest.approx(FIXED_NS * 1e-9, rel=0.02)
    assert ledger["verbs.fit.intercept"].kind is ClaimKind.INTERCEPT
    assert ledger["verbs.fit.r2"].estimate.value > 0.999


def test_round_trips_have_medians_and_the_quantiles_that_a_trial_supports(ledger: Ledger) -> None:
    median = ledger["trips.1.round_trip"].estimate
    assert median.value == pytest.approx(2 * (FIXED_NS + BYTE_NS) * 1e-9, rel=0.01) and median.n == 6
    assert "trips.1.p95" in ledger and "trips.1.p99" in ledger


def test_equal_windows_need_no_warm_up(ledger: Ledger) -> None:
    first = ledger["verbs.4K.first"].estimate
    assert first.value == pytest.approx(1, rel=1e-3) and judge(first, margin=0.01) is Verdict.WITHIN


def test_growth_is_a_step_over_its_sizes(evidence: Evidence, ledger: Ledger) -> None:
    shape = make_claims(evidence).curves["verbs"].shape
    assert shape is not None
    step = shape.jump
    small, large = (ledger[f"verbs.jump.{end}"].estimate.value for end in ("from", "to"))
    assert (small, large) == (1, 4)
    saved = (FIXED_NS + BYTE_NS * small) / (FIXED_NS + BYTE_NS * large)
    assert step.growth().value == pytest.approx(saved, rel=1e-3)
    assert judge(step.growth(), margin=0.05) is not Verdict.MORE


def test_no_link_is_filled_beyond_its_ceiling(ledger: Ledger) -> None:
    assert ledger["slow.rate"].estimate.value == 1e8
    assert 0.8 < ledger["slow.filled"].estimate.value <= 1
    assert not any(name.startswith("verbs_over_slow") for name in ledger)


def test_a_sweep_of_two_parameters_names_both_of_its_best(ledger: Ledger) -> None:
    assert {"lists.64.first.post_list", "lists.64.best.signal_every"} <= ledger.keys()
    assert ledger["lists.64.gain"].estimate.value == pytest.approx(1, rel=0.01)


def test_every_kind_of_series_has_its_figures(evidence: Evidence, ledger: Ledger) -> None:
    drawn = {each.name: each.data for each in pictures(make_claims(evidence))}
    plain = {"throughput", "throughput.slow", "message_rate", "message_rate.slow", "speedup.verbs_over_tcp", "windows"}
    plain |= {"processor", "processor.slow", "processor.depth", "processor.lists"}
    assert drawn.keys() == plain | {"depth", "lists.64", "round_trip", "half_trip", "latency", *fits(ledger)}
    assert isinstance(drawn["depth"], ByParameter) and isinstance(drawn["latency"], Latency)
    grid = drawn["lists.64"]
    assert isinstance(grid, HeatMap) and (len(grid.rows), len(grid.columns)) == (2, 3)
    assert [len(row) for row in grid.cells] == [3, 3] and grid.cells[0][0] is not None and grid.cells[0][0].value == 1


def test_a_map_of_sizes_is_drawn_where_a_value_gains(evidence: Evidence) -> None:
    twice = Estimate(2.0, Interval(1.9, 2.1), 6)
    gains = laboratory.changed(
        make_claims(evidence),
        lambda each: replace(each, estimate=twice) if re.fullmatch(r"depth\..*\.gain", each.name) else each,
    )
    sizes = {each.name: each.data for each in pictures(gains)}["depth.map"]
    assert isinstance(sizes, HeatMap) and (sizes.rows, sizes.columns) == ((1.0, 64.0, 4096.0), (1.0, 64.0))


def fits(ledger: Ledger) -> set[str]:
    return {name.removesuffix(".rate") for name in ledger if name.endswith(".fit.rate")}


def test_the_draft_says_no_knee_where_none_is_supported(evidence: Evidence, ledger: Ledger) -> None:
    without = laboratory.changed(make_claims(evidence), lambda each: None if each.name.endswith(".knee") else each)
    assert "no knee that the data support" in draft(without)
    assert ("verbs.knee" in ledger) == ("\\claim{verbs.knee}" in draft(make_claims(evidence)))


def test_a_record_is_unpacked_once_for_all_that_is_made_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = laboratory.evidence_of("mpi_bandwidth_latency", tmp_path)
    asked: list[str] = []

    def counted(results: Path, key: str) -> tuple[Sample, ...]:
        asked.append(key)
        return read_samples_of(results, key)

    monkeypatch.setattr("lab.report.evidence.evidence.read_samples_of", counted)
    claims = make_claims(evidence)
    assert draft(claims) and list(pictures(claims)) and asked
    assert len(asked) == len(set(asked))


def test_an_experiment_of_one_size_has_a_draft_and_figures_of_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(SMALL.replace('sizes = "1..64K*4"', 'sizes = "4K"'))
    evidence = laboratory.evidence_of("one", tmp_path / "results", tmp_path)
    ledger = make_ledger(evidence)
    text = draft(make_claims(evidence))
    assert r"was measured at one size: its median throughput is \claim{tcp.4K}" in text
    assert list(refused(text, "draft", ledger)) == [] and list(pictures(make_claims(evidence)))


def test_a_curve_saturates_where_no_larger_message_moves_it_by_a_tenth(evidence: Evidence, ledger: Ledger) -> None:
    assert ledger["slow.level"].estimate.value == 4096 and "verbs.level" not in ledger
    text = draft(make_claims(evidence))
    assert "There is no jump" in text and list(refused(text, "draft", ledger)) == []
