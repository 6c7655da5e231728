"""What really ran: lab.report.{topics,tables}.sweeps, lab.report.{evidence.handing,tables.effective}."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.lab.report import laboratory

from lab.records.facts import Facts
from lab.report.evidence.curve import subject
from lab.report.evidence.effective import effective, moved
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.handing import handing_words
from lab.report.evidence.pairs import Sort, pairs
from lab.report.tables.effective import effective_table
from lab.report.tables.ratios import ratio_tables
from lab.report.tables.sweeps import gain_table
from lab.report.topics.curves import rate
from lab.report.topics.ratios import ratio
from lab.report.topics.sweeps import all_sweeps, best_of, points

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


def test_the_table_of_gains_says_what_moved_too(evidence: Evidence) -> None:
    verdicts = {row.verdict.split(";")[-1] for row in gain_table(evidence).rows}
    assert verdicts == {r" moved too: \texttt{post\_list}, \texttt{signal\_every}", "within the margin"}


def test_the_table_says_what_was_varied_what_moved_and_what_was_held(evidence: Evidence) -> None:
    table = effective_table(evidence)
    rows = {str(row[0]): [str(cell) for cell in row[3:6]] for row in table.rows}
    assert rows[r"\texttt{loose}"] == [
        r"\labnum{2} to \labnum{512}, varied",
        r"\labnum{1} to \labnum{64}, moved",
        r"\labnum{1} to \labnum{64}, moved",
    ]
    assert rows[r"\texttt{held}"] == [r"\labnum{2} to \labnum{512}, varied", r"\labnum{1}", r"\labnum{1}"]


def test_the_best_is_the_smallest_value_within_the_margin_of_the_highest(evidence: Evidence) -> None:
    curves = points(evidence, evidence.series("held"))
    assert best_of(curves, 1).point == {"tx_depth": 2}, "all of them are equal"
    rows = dict(evidence._cells)
    for place, cell in rows.items():
        if place[0] == "held" and place[1] == "tx_depth=16":
            rows[place] = replace(cell, values=tuple(round(1.02 * value) for value in cell.values))
        if place[0] == "held" and place[1] == "tx_depth=512":
            rows[place] = replace(cell, values=tuple(round(1.028 * value) for value in cell.values))
    faster = points(replace(evidence, _cells=rows), evidence.series("held"))
    assert best_of(faster, 1).point == {"tx_depth": 16}, "0.8 % more may be luck"


def test_a_ratio_of_small_messages_says_how_both_sides_hand_them_over(evidence: Evidence) -> None:
    by_name = {pair.name: pair for pair in pairs(evidence)}
    assert {name: pair.sort for name, pair in by_name.items()} == {
        "verbs_over_tcp": Sort.TRANSPORT,
        "verbs_over_nodelay": Sort.VARIANT,
        "single_over_tcp": Sort.VARIANT,
        "single_over_nodelay": Sort.VARIANT,
    }
    usual, other = by_name["verbs_over_tcp"], by_name["single_over_nodelay"]
    words = handing_words((usual.ours, usual.base))
    assert "up to 64 messages to one call" in words and "Nagle" in words
    words = handing_words((other.ours, other.base))
    assert "one message to a call" in words and "no delay" in words and "Nagle" not in words
    (table,) = ratio_tables(evidence)
    assert len(table.heads) == 2 and "Nagle" in table.about
    assert "by over 1 %" in table.about and "Verdicts: 2 less; at most 0.1 of 2 are false" in table.about


def test_an_answer_names_all_records_that_it_rests_on_and_those_that_warn(evidence: Evidence) -> None:
    key = evidence.keys("tcp")[0]
    warned = laboratory.judged(evidence, [key], notes=("both ends spun",))
    verbs, tcp = (subject(warned, warned.series(name)) for name in ("verbs", "tcp"))
    answer = ratio(verbs, tcp, 1)
    assert answer.unchecked == (key,) and {*answer.keys} == {*evidence.keys("verbs"), *evidence.keys("tcp")}
    assert [rate(curve, 1).unchecked for curve in (verbs, tcp)] == [(), (key,)]


def test_the_choice_of_the_best_rests_on_every_record_of_a_sweep(evidence: Evidence) -> None:
    key = next(each.trial.key for each in evidence.plan.planned if each.point == {"tx_depth": 512})
    sweeps = all_sweeps(laboratory.judged(evidence, [key], whole=False))
    (loose, *_) = (sweep for sweep in sweeps if key in sweep.gains[1].answer.keys)
    assert loose.gains[1].answer.unchecked == (key,)
    assert [rate(curve, 1).unchecked for curve in loose.curves] == [(), (), (key,)]


def test_a_table_marks_every_number_of_a_warned_record(evidence: Evidence) -> None:
    key = evidence.keys("tcp")[0]
    warned = laboratory.judged(evidence, [key], notes=("both ends spun",))
    (clean,), (marked,) = (ratio_tables(each) for each in (evidence, warned))
    assert not any("labwarned" in cell for row in clean.rows for cell in row)
    assert all("labwarned" in row[2] for row in marked.rows)
