"""A report on programs that the experiment brought along: lab.report.{claims,draft,pictures,tables}.ratios."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite
from tests.lab.report import laboratory

from lab.analysis.estimate import Estimate, Interval
from lab.plan.plan import Plan
from lab.report.claims.ledger import make_claims, make_ledger
from lab.report.draft.draft import draft
from lab.report.evidence.evidence import Evidence, gather
from lab.report.evidence.pairs import Sort, pairs
from lab.report.pictures import pictures
from lab.report.tables.ratios import pair_table, ratio_tables
from lab.report.tables.throughput import rate_table
from lab.run.run import RunSetup, missing, run_trials

EXPERIMENT = r"""
title = "Own programs on a fake link"
question = "What do their habits cost?"
[parameters]
sizes = "64,4K"
iterations = 40
repetitions = 2
[programs.mine]
folder = "."
build = "true"
binaries = ["mine"]
server = "mine --serve {port}"
client = "mine -s {size} -n {iterations} {arguments} {host}"
output = "pattern"
pattern = '^(?P<size>\d+)\s+\d+\s+\S+\s+(?P<value>\S+)'
unit = "MiB/s"
[[series]]
name = "plain"
program = "mine"
operation = "write"
measure = "throughput"
[[series]]
name = "deep"
program = "mine"
operation = "write"
measure = "throughput"
arguments = "--depth 64"
[[series]]
name = "verbs"
program = "verbs"
operation = "write"
measure = "throughput"
"""


@pytest.fixture
def evidence(make_small_plan: Callable[..., Plan], fake_site: FakeSite, tmp_path: Path) -> Evidence:
    plan = make_small_plan(EXPERIMENT)
    run_trials(RunSetup(fake_site, plan.site, tmp_path), missing([plan], tmp_path)[0], 2, lambda *_: None)
    return gather(plan, tmp_path)


def test_ours_is_laid_over_each_and_each_over_the_one_before(evidence: Evidence) -> None:
    assert [(pair.sort, pair.name) for pair in pairs(evidence)] == [
        (Sort.OWN, "verbs_over_plain"),
        (Sort.OWN, "verbs_over_deep"),
        (Sort.STEP, "deep_over_plain"),
    ]


def test_both_sides_stop_at_the_last_completion(evidence: Evidence) -> None:
    ledger = make_ledger(evidence)
    assert ledger["verbs_over_plain.4K"].estimate.value == pytest.approx(1, abs=0.01)
    assert ledger["deep_over_plain.64"].base == "plain"


def test_each_sort_has_its_figure_and_its_table_of_rows(evidence: Evidence) -> None:
    claims = make_claims(evidence)
    assert {"own", "steps"} <= {picture.name for picture in pictures(claims)}
    rows = {sort: [row[0] for row in pair_table(claims, sort).rows] for sort in (Sort.OWN, Sort.STEP)}
    assert rows == {Sort.OWN: ["RDMA WRITE over plain", "RDMA WRITE over deep"], Sort.STEP: ["deep over plain"]}
    assert [row[0] for row in rate_table(claims).rows] == ["plain", "deep", "RDMA WRITE"]
    assert ratio_tables(claims) == []


def test_the_draft_says_why_the_data_cannot_tell(evidence: Evidence) -> None:
    assert "too few repetitions leave it no interval" in draft(make_claims(evidence))
    least = {f"{pair.name}.least" for pair in pairs(evidence)}
    equal = Estimate(1.0, Interval(0.9, 1.1), 6)
    text = draft(
        laboratory.changed(
            make_claims(evidence), lambda each: replace(each, estimate=equal) if each.name in least else each
        )
    )
    assert "its intervals include equality" in text and "too few" not in text
