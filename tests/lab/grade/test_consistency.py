"""Bounds of records, and texts of the environment that a report prints."""

from dataclasses import replace
from typing import Any

import pytest

from lab.errors import OpeningFault
from lab.grade.consistency import (
    LARGEST,
    LONGEST_LINE,
    MOST_LINES,
    header_findings,
    node_findings,
    record_findings,
    require_plain,
    text_findings,
)
from lab.grade.finding import Flaw
from lab.records.facts import CHECKS, Facts
from lab.records.record import open_record
from lab.report.evidence.environment import ends_of
from lab.report.evidence.evidence import Evidence, gather
from lab.sites.cable import Cable
from lab.submission.archive import SubmissionError


@pytest.fixture
def evidence(ada: Any) -> Evidence:
    return gather(ada.plan, ada.results)


@pytest.fixture
def facts(ada: Any) -> Facts:
    return open_record(ada.results, next(iter(ada.plan.trials()))).facts()


def with_text(facts: Facts, name: str, value: Any) -> Facts:
    """The facts with another header, other nodes, another version or other checks."""
    if name == "header":
        return replace(facts, measured=replace(facts.measured, header=value))
    if name == "nodes":
        return replace(facts, moment=replace(facts.moment, state={**(facts.moment.state or {}), "nodes": value}))
    return replace(facts, assessment=replace(facts.assessment, **{name: value}))


def with_nodes(evidence: Evidence, *nodes: str) -> Evidence:
    return replace(evidence, facts={key: with_text(facts, "nodes", [*nodes]) for key, facts in evidence.facts.items()})


def with_headers(evidence: Evidence, before: str, after: str) -> Evidence:
    """The evidence with other texts in all headers; without `before`, with empty headers."""

    def changed(facts: Facts) -> Facts:
        lines = (facts.measured.header or {}).items() if before else ()
        return with_text(facts, "header", {name: line.replace(before, after) for name, line in lines})

    return replace(evidence, facts={key: changed(facts) for key, facts in evidence.facts.items()})


def on_a_wall_clock(evidence: Evidence) -> Evidence:
    site = replace(evidence.plan.site, name="host", traits=Cable.traits)
    return replace(evidence, plan=replace(evidence.plan, site=site))


def test_a_record_may_have_other_values_of_parameters_that_its_program_does_not_use(ada: Any) -> None:
    planned = ada.plan.planned[0]
    record: Any = open_record(ada.results, planned.trial.key).document()
    samples = open_record(ada.results, planned.trial.key).samples()

    def findings(name: str) -> list[Flaw]:
        changed = {**record, "options": {**record["options"], name: 7}}
        return [finding.kind for finding in record_findings(planned, ada.plan.site, changed, samples)]

    unused = record["options"].keys() - planned.series.tool.parameters
    assert unused and all(findings(name) == [] for name in unused)
    assert findings("windows") == [Flaw.RECORD]


NUMBERS = ("9" * 4000, "-" + "9" * 21, "1e999", "NaN", "-Infinity")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        *((f'{{"clock_end_ns": {text}}}'.encode(), OpeningFault.UNREADABLE) for text in NUMBERS),
        (b"[" * 100_000, OpeningFault.TOO_LARGE),
        (b" " * (LARGEST + 1), OpeningFault.TOO_LARGE),
    ],
    ids=["digits", "negative", "exponent", "NaN", "infinity", "deep", "long"],
)
def test_impossible_records_are_refused(content: bytes, fault: OpeningFault) -> None:
    with pytest.raises(SubmissionError) as caught:
        require_plain(content, "record.json")
    assert caught.value.fault is fault


@pytest.mark.parametrize("content", [b'{"ns": 1700000000000000000, "load": [0.5, 1e-9]}', b"{", b"\xff"])
def test_honest_records_pass_and_broken_json_is_left_to_its_reader(content: bytes) -> None:
    require_plain(content, "record.json")


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("nodes", [["n1", "gpu-03.cluster"]], None),
        ("lab", ["NVIDIA", "1", "1.0.0 (400 Gbit/s)", "1.0.0\n", "9" * 5000, ""], Flaw.RECORD),
        ("checks", [None, CHECKS[1:], (*CHECKS, "100 of 100")], Flaw.RECORD),
        ("nodes", [["NVIDIA DGX"], ["a\n"], ["x" * 64], [""], ["n1"] * 65, [["n1"]]], Flaw.STATE),
        ("header", [{"size 64": "depth=" + "9" * 5000}, {"size 64": "x" * (LONGEST_LINE + 1)}], Flaw.HEADER),
        ("header", [{"a\x1b[2J": "b"}, {"a": "b\u202e"}, {str(line): "" for line in range(MOST_LINES + 1)}],
         Flaw.HEADER),
    ],
)  # fmt: skip
def test_strange_texts_are_named_in_short(facts: Facts, name: str, values: list[Any], kind: Flaw | None) -> None:
    assert list(text_findings(facts)) == []
    for value in values:
        findings = list(text_findings(with_text(facts, name, value)))
        assert [finding.kind for finding in findings] == ([kind] if kind else [])
        assert all(len(finding.what) < 200 for finding in findings)


def test_printed_values_of_headers_must_be_the_graders(evidence: Evidence) -> None:
    assert list(header_findings(evidence, evidence)) == []
    first, second = header_findings(with_headers(evidence, "depth=", "depth=9"), evidence)  # of both series
    assert first.kind is second.kind is Flaw.HEADER and first.what.startswith("verbs: depth at 64 B differs")
    without = header_findings(with_headers(evidence, "", ""), evidence)
    assert {finding.kind for finding in without} == {Flaw.HEADER}


def test_number_of_messages_may_differ_on_a_wall_clock(evidence: Evidence) -> None:
    faster, wall = with_headers(evidence, "iterations=", "iterations=9"), on_a_wall_clock(evidence)
    assert [finding.kind for finding in header_findings(faster, evidence)] == [Flaw.HEADER] * 2
    assert list(header_findings(on_a_wall_clock(faster), wall)) == []


def test_nodes_must_be_named_like_the_graders(evidence: Evidence) -> None:
    grader, other = with_nodes(evidence, "node001", "node002"), with_nodes(evidence, "node117", "node118")
    assert list(node_findings(other, grader)) == []
    for claimed, here in ((with_nodes(evidence, "node117", "dgx-1"), grader), (other, evidence)):
        assert [finding.kind for finding in node_findings(claimed, here)] == [Flaw.STATE]


def test_reports_name_nodes_only_on_a_wall_clock(evidence: Evidence) -> None:
    there = with_nodes(evidence, "n1", "n2")
    assert ends_of(there) == ends_of(evidence) and ends_of(on_a_wall_clock(there)) == "n1, n2"
