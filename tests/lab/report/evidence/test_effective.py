"""What really ran: lab.report.evidence.{effective,pairs}."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.lab.report import laboratory

from lab.records.facts import Facts
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.pairs import Sort, pairs
from lab.report.evidence.parameters import effective, effective_table, moved

SWEEPS = """
title = "Sweeps"
question = "What moves with the depth?"
[parameters]
sizes = "1,4K"
iterations = 4000
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
name = "single"
program = "verbs"
operation = "write"
measure = "throughput"
parameters = { post_list = 1, signal_every = 64 }
[[series]]
name = "nodelay"
program = "tcp"
operation = "send"
measure = "throughput"
parameters = { nodelay = true }
[[series]]
name = "loose"
program = "verbs"
operation = "write"
measure = "throughput"
vary.tx_depth = [2, 16, 512]
[[series]]
name = "held"
program = "verbs"
operation = "write"
measure = "throughput"
parameters = { post_list = 1, signal_every = 1 }
vary.tx_depth = [2, 16, 512]
"""


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    folder = tmp_path_factory.mktemp("sweeps")
    (folder / "sweeps.toml").write_text(SWEEPS)
    return laboratory.evidence_of("sweeps", folder / "results", folder)


def test_what_moves_with_a_varied_parameter_is_found_in_the_records(evidence: Evidence) -> None:
    loose, held = evidence.series("loose"), evidence.series("held")
    assert [each.by_size[1]["depth"] for each in effective(evidence, loose)] == [{2}, {16}, {512}]
    assert moved(evidence, loose, 1) == moved(evidence, loose, 4096) == ("post_list", "signal_every")
    assert moved(evidence, held, 1) == ()


def test_how_often_a_size_was_asked_for_is_nothing_that_a_sweep_of_iterations_moves(evidence: Evidence) -> None:
    counted = replace(evidence, facts={key: counted_once_more(facts) for key, facts in evidence.facts.items()})
    assert "asked" in str(counted.facts) and moved(counted, counted.series("held"), 1) == ()


def counted_once_more(facts: Facts) -> Facts:
    """A record whose header says of each size how often it was asked for, different at each depth."""
    depth = facts.asked.options["tx_depth"]
    header = {
        name: f"{value} asked={depth} sample_every={depth}" for name, value in (facts.measured.header or {}).items()
    }
    return replace(facts, measured=replace(facts.measured, header=header))


def test_the_table_says_what_was_varied_what_moved_and_what_was_held(evidence: Evidence) -> None:
    table = effective_table(evidence)
    rows = {str(row[0]): [str(cell) for cell in row[3:6]] for row in table.rows}
    assert rows[r"\texttt{loose}"] == [
        r"\labnum{2} to \labnum{512}, varied",
        r"\labnum{1} to \labnum{64}, moved",
        r"\labnum{1} to \labnum{64}, moved",
    ]
    assert rows[r"\texttt{held}"] == [r"\labnum{2} to \labnum{512}, varied", r"\labnum{1}", r"\labnum{1}"]


def test_a_series_that_hands_its_messages_over_otherwise_is_a_variant(evidence: Evidence) -> None:
    assert {pair.name: pair.sort for pair in pairs(evidence)} == {
        "verbs_over_tcp": Sort.TRANSPORT,
        "verbs_over_nodelay": Sort.VARIANT,
        "single_over_tcp": Sort.VARIANT,
        "single_over_nodelay": Sort.VARIANT,
    }
