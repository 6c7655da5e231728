"""Lines through large messages against small ones that were measured, and through published times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.analysis.estimate import Estimate
from lab.plan import Plan
from lab.report.draft import draft
from lab.report.evidence import Evidence, gather
from lab.report.fit_tables import fit_table, published_fit_table
from lab.report.fits import Times, fit_claims
from lab.report.intercepts import Intercept, intercepts
from lab.report.ledger import make_ledger
from lab.report.pictures import pictures
from lab.report.prose import refused
from lab.report.published_times import published_times
from lab.report.units import in_words
from lab.run import Work, missing, run_trials

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
def evidence(make_small_plan: Callable[..., Plan], fake_site: Any, tmp_path: Path) -> Evidence:
    plan = make_small_plan(EXPERIMENT)
    run_trials(Work(fake_site, plan.site, tmp_path), missing([plan], tmp_path)[0], 2, lambda *_: None)
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
    table = fit_table(evidence, ledger)
    assert (table.series, [row[-1] for row in table.rows]) == (("large", "small"), ["no", "no"])


def curved(evidence: Evidence, step_ns: float) -> Intercept:
    """The small messages, and large ones that all take a step longer."""
    (whole, _) = intercepts(evidence)
    times = tuple(each + step_ns + (place % 3) for place, each in enumerate(whole.times.times_ns))
    return Intercept(Times(whole.times.curve, "time", whole.times.sizes, times), whole.small)


def test_an_intercept_agrees_only_with_what_a_small_message_took(evidence: Evidence) -> None:
    assert curved(evidence, 3).agrees() and not curved(evidence, 9_000).agrees()
    ratio = curved(evidence, 20_007).over_small()
    assert ratio.interval is not None and ratio.interval.low < 2 < ratio.interval.high


def test_the_draft_says_that_no_intercept_is_the_time_of_a_small_message(evidence: Evidence) -> None:
    ledger = make_ledger(evidence)
    assert "Neither interval reaches" in draft(evidence, ledger)
    assert list(refused(draft(evidence, ledger), "draft", ledger)) == []


def test_the_published_fit_comes_out_of_the_published_file() -> None:
    (found,) = published_times("mpi_bandwidth_latency")
    claims = {claim.name: claim for claim in fit_claims(found.times())}
    assert claims["report_c.fit.rate"].estimate.value == pytest.approx(5939141590, abs=1)
    assert claims["report_c.fit.intercept"].estimate.value == pytest.approx(2.3124e-3, abs=5e-8)
    assert claims["report_c.fit.r2"].estimate == Estimate(0.99892, None, 938)
    assert {(claim.source, claim.keys) for claim in claims.values()} == {
        ("experiments/published/mpi_pingpong_raw.csv", ())
    }


def test_published_times_are_marked_as_another_machines(evidence: Evidence) -> None:
    experiment = replace(evidence.plan.experiment, name="mpi_bandwidth_latency")
    found = replace(evidence, plan=replace(evidence.plan, experiment=experiment))
    ledger = make_ledger(found)
    (drawn,) = (each for each in pictures(found, ledger) if each.name == "report_c.fit")
    assert (drawn.machine, drawn.data.site) == ("two nodes with 56 Gbit/s InfiniBand", "another machine")
    assert ledger["report_c.points"].estimate.value == 938 and ledger["report_c.least"].estimate.value == 7
    assert [row[3] for row in published_fit_table("mpi_bandwidth_latency", ledger).rows] == ["938", "469"]


def test_a_size_that_was_chosen_decimal_is_printed_so() -> None:
    assert [in_words(size) for size in (1, 4096, 4000, 16_000_000)] == ["1 B", "4 KiB", "4 kB", "16 MB"]
