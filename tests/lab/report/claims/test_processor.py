"""What programs say of their processor time: lab.report.{claims,pictures,tables}.processor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from tests.lab.report import laboratory

from lab.figures import ByParameter
from lab.places import TEMPLATES
from lab.records.table import columns
from lab.report.build import prepare
from lab.report.claims.ledger import make_claims
from lab.report.draft.processor import spent_sentences
from lab.report.evidence.evidence import Evidence
from lab.report.pictures import pictures
from lab.report.pictures.processor import processors
from lab.report.sources import Sources
from lab.report.tables.processor import spent_table

EXPERIMENT = """
title = "Processors on a fake link"
question = "What does a message take of them?"
[parameters]
sizes = "64..64K*4"
iterations = 400
warmup = 0
repetitions = 6
[[series]]
name = "rdma"
program = "verbs"
operation = "write"
measure = "throughput"
[[series]]
name = "trips"
program = "tcp"
operation = "send"
measure = "latency"
parameters = { wait = "event" }
[[series]]
name = "rounds"
program = "tcp"
operation = "send"
measure = "throughput"
parameters = { wait = "event", until_stable = 1 }
[[series]]
name = "peer"
program = "ib_write_bw"
operation = "write"
measure = "throughput"
[[series]]
name = "slow"
program = "tcp"
operation = "send"
measure = "throughput"
link = { mtu = 1500, rate_bit_s = 100_000_000 }
[[series]]
name = "calls"
program = "mpi-tcp"
operation = "send"
measure = "one-way"
vary.calls = ["blocking", "non-blocking"]
[[series]]
name = "depth"
program = "verbs"
operation = "write"
measure = "throughput"
vary.tx_depth = [1, 64]
[[series]]
name = "wake"
program = "verbs"
operation = "send"
measure = "latency"
vary.wait = ["poll", "event"]
"""
# Three sizes are too few for a knee, and for one's own calls.
FEW = EXPERIMENT.partition('[[series]]\nname = "calls"')[0].replace("64..64K*4", "1,4K,64K")
# No series lays sizes beside each other, so that there is no table.
SWEPT = FEW.partition("[[series]]")[0] + "[[series]]" + EXPERIMENT.split("[[series]]")[7]
OURS = ("rdma", "trips", "rounds", "slow", "calls.blocking", "calls.non-blocking")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("processors")
    (made / "processors.toml").write_text(EXPERIMENT)
    return made


@pytest.fixture(scope="module")
def told(folder: Path) -> Evidence:
    return laboratory.evidence_of("processors", folder / "told", folder)


@pytest.fixture(scope="module")
def untold(folder: Path) -> Evidence:
    """Records of programs that said nothing of it yet."""
    with mock.patch.object(laboratory.UnsteadySite, "tells_processors", new=False):
        return laboratory.evidence_of("processors", folder / "untold", folder)


def test_each_end_of_each_of_our_series_has_its_time_of_a_message(told: Evidence) -> None:
    ledger = make_claims(told).ledger
    rate = ledger["rdma.64K"].estimate.value
    client, server = (ledger[f"rdma.64K.{end}.processor"].estimate for end in ("client", "server"))
    assert client.value == pytest.approx(65536 / rate / 2, rel=0.01)
    assert server.value == pytest.approx(client.value / 5, rel=0.001) and server.interval and server.n == 6
    found = {name.rsplit(".", 3)[0] for name in ledger if name.endswith(".processor")}
    assert found == {*OURS, "depth.1", "depth.64", "wake.poll", "wake.event"}


def test_of_large_messages_a_gigabyte_has_one_too(told: Evidence) -> None:
    ledger = make_claims(told).ledger
    message, gigabyte = (ledger[f"slow.64K.client.{kind}"].estimate.value for kind in ("processor", "gigabyte"))
    assert gigabyte == pytest.approx(message * 1e9 / 65536)
    assert "slow.64.client.gigabyte" not in ledger
    assert "trips.64K.client.gigabyte" not in ledger
    assert "for a round trip of TCP," in ledger["trips.64K.client.processor"].meaning


def test_a_call_is_all_that_a_one_way_time_holds(told: Evidence) -> None:
    meaning = make_claims(told).ledger["calls.blocking.64.client.processor"].meaning
    assert meaning.startswith("median processor time of the client for a call of ")


def test_a_table_has_both_ends_and_a_figure_is_of_one_link(told: Evidence) -> None:
    claims = make_claims(told)
    table = spent_table(claims)
    assert len(table.heads) == 3 and len(table.rows) == 2 * len(OURS)
    assert [str(row[0]) for row in table.rows[:2]] == ["RDMA WRITE, client", "RDMA WRITE, server"]
    found = {each.name: each for each in processors(claims)}
    assert list(found) == ["processor", "processor.slow", "processor.depth"]
    (client, server) = found["processor.slow"].data.curves
    assert client.y[0].value == pytest.approx(5 * server.y[0].value, rel=0.001) and client.colour != server.colour
    assert "processor time against message size" in found["processor.slow"].draw().alt.lower()


def test_a_sweep_has_them_at_each_point(told: Evidence) -> None:
    claims = make_claims(told)
    for depth in (1, 64):
        client, server = (claims.ledger[f"depth.{depth}.64K.{end}.processor"] for end in ("client", "server"))
        assert client.estimate.value == pytest.approx(5 * server.estimate.value, rel=0.001)
        assert f"for a message of RDMA WRITE, tx_depth {depth}, messages of 64 KiB" in client.meaning
    assert not any(each.curve.series.name == "depth" for each in claims.processors)  # the table and figure of sizes
    rows = [row for row in told.rows if row.series == "depth"]
    assert all(row.counts["processor_messages"] == 400 for row in rows)
    assert "client_processor_ns" in columns(told.plan, told.rows)
    assert all("client_processor_ns" not in row.counts for row in told.rows if row.series == "peer")


def test_a_sweep_has_a_figure_of_its_smallest_and_largest_messages_at_both_ends(told: Evidence) -> None:
    found = {each.name: each for each in processors(make_claims(told))}["processor.depth"]
    assert isinstance(found.data, ByParameter)
    names = [each.label for each in found.data.curves]
    assert names == ["64 B, client", "64 B, server", "64 KiB, client", "64 KiB, server"]
    assert all(each.x == (1.0, 64.0) for each in found.data.curves)
    assert "processor time against the depth of the send queue (tx_depth)" in found.draw().alt.lower()


def test_a_sweep_of_two_parameters_has_a_line_for_each_value_of_the_first(tmp_path: Path) -> None:
    evidence = laboratory.evidence_of("write_parameters", tmp_path)
    found = {each.name: each for each in processors(make_claims(evidence))}["processor.lists.card"]
    assert isinstance(found.data, ByParameter)
    names = [each.label for each in found.data.curves]
    assert names[:2] == ["post_list 1, 1 B, client", "post_list 4, 1 B, client"] and len(names) == 3 * 2
    assert all(each.x == (1.0, 64.0) for each in found.data.curves)


def test_a_sweep_over_words_has_claims_and_no_figure(told: Evidence) -> None:
    claims = make_claims(told)
    assert "wake.poll.64.client.processor" in claims.ledger
    assert "processor.wake" not in {each.name for each in processors(claims)}


def test_a_time_that_a_kernel_of_ticks_did_not_see_is_none(told: Evidence) -> None:
    place = ("rdma", "", "64", "server_processor_ns")
    seen = told._cells[place]
    unseen = replace(told, _cells=told._cells | {place: replace(seen, values=(0, *seen.values[1:]))})
    ledger = make_claims(unseen).ledger
    assert "rdma.64.client.processor" not in ledger and "rdma.256.client.processor" in ledger


def test_older_records_give_none_of_it(untold: Evidence) -> None:
    claims = make_claims(untold)
    assert not any(name.endswith(".processor") for name in claims.ledger)
    assert spent_table(claims).rows == () and not any(each.name == "processor" for each in pictures(claims))
    assert "client_processor_ns" not in columns(untold.plan, untold.rows)


def test_a_report_has_the_section_where_the_programs_told(tmp_path: Path) -> None:
    (tmp_path / "few.toml").write_text(FEW)
    for tells in (True, False):
        with mock.patch.object(laboratory.UnsteadySite, "tells_processors", new=tells):
            evidence = laboratory.evidence_of("few", tmp_path / str(tells), tmp_path)
        made = prepare(Sources(tmp_path / "few.toml", TEMPLATES), evidence, tmp_path)
        assert ("processor" in made.pngs) is tells
        assert made.typeset().startswith(b"%PDF")


def test_a_report_of_sweeps_alone_has_the_section_without_the_table(tmp_path: Path) -> None:
    (tmp_path / "swept.toml").write_text(SWEPT)
    evidence = laboratory.evidence_of("swept", tmp_path / "results", tmp_path)
    made = prepare(Sources(tmp_path / "swept.toml", TEMPLATES), evidence, tmp_path)
    claims = make_claims(evidence)
    assert spent_table(claims).rows == () and list(spent_sentences(claims))
    assert made.typeset().startswith(b"%PDF")


@pytest.mark.parametrize(("times", "moves"), [(1.0, False), (1.9, False), (2.1, True)])
def test_a_sweep_has_a_sentence_and_a_figure_only_where_it_changes_much(
    told: Evidence, times: float, *, moves: bool
) -> None:
    one, many = (("depth", f"tx_depth={depth}", "64", "client_processor_ns") for depth in (1, 64))
    alike = told._cells[many]
    changed = replace(alike, values=tuple(round(times * value) for value in alike.values))
    claims = make_claims(replace(told, _cells=told._cells | {one: changed, many: alike}))
    (found,) = (each for each in claims.processor_sweeps if each.series.name == "depth")
    assert found.moves is moves
    (words,) = (each for each in spent_sentences(claims) if "depth of the send queue" in each)
    at_most = r"\claim{depth.1.64.client.processor} (\texttt{tx\_depth} 1) at most."
    assert words.endswith("at every value, within the margin." if times == 1 else at_most)
