"""A report on programs that the experiment brought along: lab.report.{topics,pictures,tables}.ratios."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite

from lab.plan.plan import Plan
from lab.report.evidence.evidence import Evidence, gather
from lab.report.evidence.pairs import Sort, pairs
from lab.report.pictures import pictures
from lab.report.tables.ratios import pair_table, ratio_tables
from lab.report.tables.throughput import rate_table
from lab.report.topics.ratios import pair_ratios
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
    found = {ratios.pair.name: ratios for ratios in pair_ratios(evidence, Sort.OWN, Sort.STEP)}
    assert found["verbs_over_plain"].by_size[4096].estimate.value == pytest.approx(1, abs=0.01)
    assert found["deep_over_plain"].pair.base.words == "plain"
    assert found["deep_over_plain"].by_size[64].estimate.interval is None, "too few repetitions"


def test_each_sort_has_its_figure_and_its_table_of_rows(evidence: Evidence) -> None:
    assert {"own", "steps"} <= {picture.name for picture in pictures(evidence)}
    rows = {sort: [row[0] for row in pair_table(evidence, sort).rows] for sort in (Sort.OWN, Sort.STEP)}
    assert rows == {Sort.OWN: ["RDMA WRITE over plain", "RDMA WRITE over deep"], Sort.STEP: ["deep over plain"]}
    assert [row[0] for row in rate_table(evidence).rows] == ["plain", "deep", "RDMA WRITE"]
    assert ratio_tables(evidence) == []
