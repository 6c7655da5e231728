"""A report on student programs."""

from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite
from tests.lab.report import laboratory
from tests.toml import series_of

from lab.places import TEMPLATES
from lab.report.build import prepare
from lab.report.evidence.evidence import Evidence
from lab.report.exhibits.groups import pairs
from lab.report.query.numbers import Numbers
from lab.report.sources import Sources

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
""" + series_of(
    "plain mine write throughput",
    'deep mine write throughput\narguments = "--depth 64"',
    "verbs verbs write throughput",
)


@pytest.fixture
def evidence(tmp_path: Path) -> Evidence:
    return laboratory.evidence_of_text(EXPERIMENT, tmp_path, site=FakeSite())


def test_pairs_compare_ours_with_each_and_each_with_its_predecessor(evidence: Evidence) -> None:
    assert [(ours.name, base.name, sort) for ours, base, sort in pairs(evidence)] == [
        ("verbs", "plain", "user"),
        ("verbs", "deep", "user"),
        ("deep", "plain", "step"),
    ]


def test_both_rates_end_at_the_last_completion(evidence: Evidence) -> None:
    numbers = Numbers(evidence)
    assert numbers.ask("verbs / plain at 4K").estimate.value == pytest.approx(1, abs=0.01)
    assert numbers.ask("deep / plain at 64").estimate.interval is None, "too few repetitions"


def test_report_compares_ours_with_each_and_each_with_its_predecessor(evidence: Evidence, tmp_path: Path) -> None:
    body = laboratory.body_of(evidence)
    for ratio in ("verbs / plain", "verbs / deep", "deep / plain"):
        assert rf"\claim[3]{{{ratio} at 64}}" in body
    assert r"\label{figure:ratio}" in body and r"\label{figure:throughput}" in body
    prepared = prepare(Sources(evidence.plan.experiment.file, TEMPLATES), evidence, tmp_path)
    assert prepared.typeset().startswith(b"%PDF")
