"""Lines: lab.report.{claims,draft,pictures,tables}.lines, lab.report.{draft.intercepts,claims.published_times}."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite
from tests.lab.report import laboratory

from lab.analysis.estimate import Estimate
from lab.plan.plan import Plan
from lab.report.check.rules import records_are_sound
from lab.report.check.statement import Statement
from lab.report.check.text import refused
from lab.report.claim import Ledger
from lab.report.claims.intercepts import Intercept, intercepts
from lab.report.claims.ledger import make_claims, make_ledger
from lab.report.claims.lines import FitClaims, Times, fit_claims
from lab.report.claims.published_times import published_times
from lab.report.draft.draft import draft
from lab.report.draft.lines import line_words
from lab.report.evidence.evidence import Evidence, gather
from lab.report.pictures import pictures
from lab.report.tables.lines import fit_table, published_fit_table
from lab.report.tex.units import in_words
from lab.run.run import RunSetup, missing, run_trials

EXPERIMENT = """
title = "Large and small messages on a fake link"
question = "Is an intercept a latency?"
[parameters]
sizes = "16000000..96000000+16000000"
iterations = 4
repetitions = 6
[profile.exact]
why = "divided by 1000"
sizes = "16000..96000+16000"
[[series]]
name = "large"
program = "mpi-tcp"
operation = "send"
measure = "latency"
[[series]]
name = "small"
program = "mpi-tcp"
operation = "send"
measure = "latency"
parameters = { sizes = "1..4K*4" }
"""


@pytest.fixture
def evidence(make_small_plan: Callable[..., Plan], fake_site: FakeSite, tmp_path: Path) -> Evidence:
    plan = make_small_plan(EXPERIMENT)
    run_trials(RunSetup(fake_site, plan.site, tmp_path), missing([plan], tmp_path)[0], 2, lambda *_: None)
    return gather(plan, tmp_path)


def test_the_sites_own_sizes_are_claimed_with_the_factor_to_the_published(evidence: Evidence) -> None:
    ledger = make_ledger(evidence)
    assert (ledger["scale"].estimate.value, ledger["largest.size"].estimate.value) == (1000, 96_000)
    assert ledger["large.fit.high"].estimate.value == 96_000 and "large.16000.half_trip" in ledger


def test_a_line_is_held_against_the_smallest_message_beside_it(evidence: Evidence) -> None:
    ledger = make_ledger(evidence)
    assert ledger["large.fit.rate"].estimate.value == pytest.approx(250e6)
    assert ledger["large.fit.over_small"].estimate.value == pytest.approx(20_000 / 20_004)
    assert ledger["large.upper.low"].estimate.value == 64_000
    table = fit_table(make_claims(evidence))
    assert (table.series, [row[-1] for row in table.rows]) == (("large", "small"), ["no", "no"])


def test_an_intercept_over_a_small_message_is_refused_with_a_warned_record_of_either(evidence: Evidence) -> None:
    for series in ("large", "small"):
        key = evidence.keys(series)[0]
        claim = make_ledger(laboratory.judged(evidence, [key], notes=("both ends spun",)))["large.fit.over_small"]
        assert claim.unchecked == (key,) and records_are_sound(Statement("\\claim", claim.name, claim))


def fitted(times: Times) -> FitClaims:
    found = fit_claims(times)
    assert found is not None
    return found


def curved(evidence: Evidence, step_ns: float) -> Intercept:
    """The small messages, and large ones that all take a step longer."""
    (whole, _) = intercepts(evidence)
    rows = tuple(tuple(each + step_ns + place for each in row) for place, row in enumerate(whole.times.rows))
    return replace(whole, line=replace(whole.line, times=replace(whole.times, rows=rows)))


def test_an_intercept_agrees_only_with_what_a_small_message_took(evidence: Evidence) -> None:
    assert curved(evidence, 3).agrees() and not curved(evidence, 9_000).agrees()
    ratio = curved(evidence, 20_007).over_small()
    assert ratio.interval is not None and ratio.interval.low < 2 < ratio.interval.high


def test_the_draft_says_that_no_intercept_is_the_time_of_a_small_message(evidence: Evidence) -> None:
    ledger = make_ledger(evidence)
    assert "No interval of an intercept reaches" in draft(make_claims(evidence))
    assert list(refused(draft(make_claims(evidence)), "draft", ledger)) == []


def test_the_published_fit_comes_out_of_the_published_file() -> None:
    (found,) = published_times("mpi_bandwidth_latency")
    claims = {claim.name: claim for claim in fitted(found.times())}
    assert claims["report_c.fit.rate"].estimate.value == pytest.approx(5939141590, abs=1)
    assert (claims["report_c.fit.rate"].estimate.interval, claims["report_c.fit.rate"].estimate.n) == (None, 1)
    assert claims["report_c.fit.intercept"].estimate.value == pytest.approx(2.3124e-3, abs=5e-8)
    assert claims["report_c.fit.r2"].estimate == Estimate(0.99892, None, 938)
    assert {(claim.source, claim.keys) for claim in claims.values()} == {
        ("experiments/published/mpi_pingpong_raw.csv", ())
    }


def stepped(evidence: Evidence, save_ns: float) -> Times:
    """Times of the large messages that fall by so much at a size; every repetition is a little slower or faster."""
    (whole, _) = intercepts(evidence)
    sizes = tuple(float(size) for size in range(16_000, 496_000, 16_000))
    costs = [30_000 + 4 * size - (save_ns + size if size > 250_000 else 0) for size in sizes]
    rows = tuple(
        tuple(cost * (1 + place / 1000) + 31 * (size % 7) for cost, size in zip(costs, sizes, strict=True))
        for place in range(6)
    )
    return replace(whole.times, sizes=sizes, rows=rows)


def test_a_line_that_the_times_do_not_follow_gives_no_rate_but_that_of_its_pieces(evidence: Evidence) -> None:
    claims = {claim.name: claim for claim in fitted(stepped(evidence, 200_000))}
    assert "large.fit.rate" not in claims and "large.fit.intercept" in claims
    below, above = (claims[f"large.fit.{part}.rate"].estimate for part in ("below", "above"))
    assert below.interval is not None and below.interval.contains(250e6 / 1.0025)
    assert above.interval is not None and above.interval.contains(1e9 / 3 / 1.0025)
    ends = [
        claims[f"large.fit.{name}"].estimate.value for name in ("break.from", "below.high", "above.low", "break.to")
    ]
    assert ends == [240_000, 240_000, 256_000, 256_000]
    assert claims["large.fit.break"].estimate.value == 248_000
    straight = {claim.name for claim in fitted(stepped(evidence, -250_000))}
    assert "large.fit.break" in straight  # a step up breaks a line too


def test_the_words_of_a_broken_line_give_each_piece_and_break_no_rule(evidence: Evidence) -> None:
    ledger, fit = Ledger(), fitted(stepped(evidence, 200_000))
    ledger.add(fit)
    said = "\n".join(line_words(fit))
    assert "No single line" in said and r"\claim{large.fit.rate}" not in said
    for name in ("below.rate", "below.intercept", "above.rate", "above.intercept", "break.from", "break.to"):
        assert rf"\claim{{large.fit.{name}}}" in said
    assert list(refused(said, "text", ledger)) == []


def test_a_rate_above_all_that_were_measured_is_said_to_be_so(evidence: Evidence) -> None:
    ledger = make_ledger(evidence)
    rate, fastest = (ledger[f"large.fit.{name}"].estimate.value for name in ("rate", "fastest"))
    assert rate > fastest == pytest.approx(96_000 / 404_000 * 1e9)
    assert "no message was that fast, the fastest had 96 kB" in ledger["large.fit.rate"].meaning
    said = " ".join(line_words(make_claims(evidence).fits["large.fit"]))
    assert "No message was as fast: the highest rate" in said and r"\claim{large.fit.fastest}" in said


def test_a_line_that_falls_with_the_size_gives_no_rate(evidence: Evidence) -> None:
    times = stepped(evidence, 0)
    falling = replace(times, rows=tuple(tuple(900_000 - size for size in times.sizes) for _ in range(6)))
    claims = {claim.name: claim for claim in fitted(falling)}
    assert "large.fit.rate" not in claims and "large.fit.break" not in claims


def test_published_times_are_marked_as_another_machines(evidence: Evidence) -> None:
    experiment = replace(evidence.plan.experiment, name="mpi_bandwidth_latency")
    found = replace(evidence, plan=replace(evidence.plan, experiment=experiment))
    ledger = make_ledger(found)
    (drawn,) = (each for each in pictures(make_claims(found)) if each.name == "report_c.fit")
    assert (drawn.machine, drawn.data.site) == ("two nodes with 56 Gbit/s InfiniBand", "another machine")
    assert ledger["report_c.points"].estimate.value == 938 and ledger["report_c.least"].estimate.value == 7
    assert [row[3] for row in published_fit_table(make_claims(found)).rows] == ["1", "1"]


def test_a_size_that_was_chosen_decimal_is_printed_so() -> None:
    assert [in_words(size) for size in (1, 1536, 4096, 4000, 16_000_000)] == ["1 B", "1536 B", "4 KiB", "4 kB", "16 MB"]
