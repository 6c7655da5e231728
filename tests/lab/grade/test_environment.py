"""Strings of the environment that a report prints: a record's own, and beside those of the grader's records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lab.grade.consistency import LONGEST_LINE, MOST_LINES, header_findings, node_findings, said_findings
from lab.grade.finding import Flaw
from lab.records.facts import CHECKS, Facts
from lab.records.record import read_facts
from lab.report.evidence.environment import ends_of
from lab.report.evidence.evidence import Evidence, gather
from lab.sites.cable import Cable


@pytest.fixture
def evidence(ada: Any) -> Evidence:
    return gather(ada.plan, ada.results)


@pytest.fixture
def facts(ada: Any) -> Facts:
    return read_facts(ada.results, next(iter(ada.plan.trials())))


def with_header(facts: Facts, header: dict[str, str]) -> Facts:
    return replace(facts, measured=replace(facts.measured, header=header))


def with_nodes(facts: Facts, nodes: Any) -> Facts:
    return replace(facts, moment=replace(facts.moment, state={**(facts.moment.state or {}), "nodes": nodes}))


def changed(evidence: Evidence, change: Any) -> Evidence:
    return replace(evidence, facts={key: change(each) for key, each in evidence.facts.items()})


def test_what_the_lab_writes_passes(facts: Facts) -> None:
    assert list(said_findings(facts)) == list(said_findings(with_nodes(facts, ["n1", "gpu-03.cluster"]))) == []


@pytest.mark.parametrize("lab", ["NVIDIA", "1", "1.0.0 (400 Gbit/s)", "1.0.0\n", "9" * 5000, ""])
def test_a_version_is_a_version(facts: Facts, lab: str) -> None:
    (found,) = said_findings(replace(facts, judged=replace(facts.judged, lab=lab)))
    assert found.kind is Flaw.RECORD and len(found.what) < 100


def test_the_checks_are_those_of_the_lab_and_no_others(facts: Facts) -> None:
    for said in (None, CHECKS[1:], (*CHECKS, "100 of 100")):
        (found,) = said_findings(replace(facts, judged=replace(facts.judged, checks=said)))
        assert found.kind is Flaw.RECORD


@pytest.mark.parametrize(
    "header",
    [
        {"size 64": "depth=" + "9" * 5000},
        {"size 64": "x" * (LONGEST_LINE + 1)},
        {"a\x1b[2J": "b"},
        {"a": "b\u202e"},
        {str(number): "" for number in range(MOST_LINES + 1)},
    ],
)
def test_a_header_that_no_program_prints_is_named(facts: Facts, header: dict[str, str]) -> None:
    (found,) = said_findings(with_header(facts, header))
    assert found.kind is Flaw.HEADER and len(found.what) < 200


@pytest.mark.parametrize("nodes", [["NVIDIA DGX"], ["a\n"], ["x" * 64], [""], ["n1"] * 65, [["n1"]]])
def test_a_node_has_the_name_of_a_computer(facts: Facts, nodes: Any) -> None:
    (found,) = said_findings(with_nodes(facts, nodes))
    assert found.kind is Flaw.STATE and len(found.what) < 200


def test_a_printed_value_of_a_header_is_the_graders_own(evidence: Evidence) -> None:
    def deeper(facts: Facts) -> Facts:
        header = facts.measured.header or {}
        return with_header(facts, {name: line.replace("depth=", "depth=9") for name, line in header.items()})

    assert list(header_findings(evidence, evidence)) == []
    found, _ = header_findings(changed(evidence, deeper), evidence)  # of both series
    assert found.kind is Flaw.HEADER and found.what.startswith("verbs: depth at 64 B differs")
    found, _ = header_findings(changed(evidence, lambda each: with_header(each, {})), evidence)
    assert found.kind is Flaw.HEADER


def test_on_a_wall_clock_the_number_of_messages_is_the_computers_own(evidence: Evidence) -> None:
    def faster(facts: Facts) -> Facts:
        header = facts.measured.header or {}
        return with_header(facts, {name: line.replace("iterations=", "iterations=9") for name, line in header.items()})

    wall = on_a_wall_clock(evidence)
    assert [each.kind for each in header_findings(changed(evidence, faster), evidence)] == [Flaw.HEADER] * 2
    assert list(header_findings(changed(wall, faster), wall)) == []


def test_nodes_are_named_like_those_of_the_graders_cluster(evidence: Evidence) -> None:
    own = changed(evidence, lambda each: with_nodes(each, ["node001", "node002"]))
    other = changed(evidence, lambda each: with_nodes(each, ["node117", "node118"]))
    invented = changed(evidence, lambda each: with_nodes(each, ["node117", "dgx-1"]))
    assert list(node_findings(other, own)) == []
    assert [each.kind for each in node_findings(invented, own)] == [Flaw.STATE]
    assert [each.kind for each in node_findings(other, evidence)] == [Flaw.STATE]


def test_a_report_names_nodes_only_where_they_make_a_difference(evidence: Evidence) -> None:
    there = changed(evidence, lambda each: with_nodes(each, ["n1", "n2"]))
    assert ends_of(there) == ends_of(evidence)
    assert ends_of(on_a_wall_clock(there)) == "n1, n2"


def on_a_wall_clock(evidence: Evidence) -> Evidence:
    site = replace(evidence.plan.site, name="host", traits=Cable.traits)
    return replace(evidence, plan=replace(evidence.plan, site=site))
