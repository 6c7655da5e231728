"""Latencies: lab.report.claims.{speeds,latency}, lab.report.draft.latency, lab.report.{tables,pictures}.latency."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.report.check.text import refused
from lab.report.claims.ledger import AllClaims, make_claims
from lab.report.draft.draft import draft
from lab.report.pictures import pictures
from lab.report.tables.latency import common_sizes, latency_table, speed_table, tail_table


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> AllClaims:
    return make_claims(laboratory.evidence_of("latency", tmp_path_factory.mktemp("records")))


def test_a_speed_is_the_other_round_trip_over_ours(claims: AllClaims) -> None:
    found = claims.ledger["write.card_over_tcp.card.1"].estimate.value
    ours, base = (claims.ledger[f"{name}.1.round_trip"].estimate.value for name in ("write.card", "tcp.card"))
    assert found == pytest.approx(base / ours, rel=1e-6)
    assert found != pytest.approx(1, rel=0.5), "the fake site's programs cost something else each"


def test_only_programs_of_one_link_that_do_the_same_are_compared(claims: AllClaims) -> None:
    for each in claims.speeds:
        assert each.ours.series.link == each.base.series.link
        if each.is_peer and each.ours.series.tool.rdma:
            assert each.ours.series.operation == each.base.series.operation
            assert each.ours.series.has_card == each.base.series.has_card
    peers = {each.base.series.program for each in claims.speeds if each.is_peer}
    assert peers == {"ib_write_lat", "ib_send_lat", "ib_read_lat", "qperf"}


def test_a_quantile_of_a_half_is_half_of_the_quantile(claims: AllClaims) -> None:
    for name in ("p95", "p99"):
        whole, half = (claims.ledger[f"send.card.64.{each}"].estimate.value for each in (name, f"half_{name}"))
        assert half == pytest.approx(whole / 2)


def test_each_of_ours_has_three_rows_and_peers_that_print_a_summary_have_none(claims: AllClaims) -> None:
    table, names = tail_table(claims), set(tail_table(claims).series)
    assert len(table.rows) == 3 * len(names) and len(table.heads) == len(table.rows[0]) - 1 == 8
    assert "tcp" in names and "qperf" not in names and "qperf" in latency_table(claims).series
    assert {row[0].split()[-1] for row in table.rows} == {"p50", "p95", "p99"}
    assert len(speed_table(claims).rows) == len(claims.speeds) and len(speed_table(claims).heads) == 3


def test_sizes_are_shown_that_most_have() -> None:
    assert common_sizes([(1, 4, 16, 64), (1, 64), (1, 64), (1,)]) == [1, 16, 64]
    assert common_sizes([(1, 2, 4, 8, 16)] * 5) == [1, 4, 16]
    assert common_sizes([(8,)] * 5) == [8]


def test_the_draft_tells_halves_tails_and_speeds_by_the_rules(claims: AllClaims) -> None:
    text = draft(claims)
    assert list(refused(text, "discussion.tex", claims.ledger)) == []
    for name in ("write.card.1.half_trip", "tcp.card.1.half_p99", "write.card_over_tcp.card.16K", "tcp_over_qperf.1"):
        assert rf"\claim{{{name}}}" in text


def test_every_link_has_its_own_figures_and_all_of_ours_stand_in_one(claims: AllClaims) -> None:
    drawn = {each.name: each.data for each in pictures(claims)}
    ours = {"half_trip", "round_trip", "round_trip.write", "latency", "latency.write", "processor", "processor.write"}
    assert ours == drawn.keys() - fits(drawn)
    labels = [curve.label for curve in drawn["half_trip"].curves]
    assert "RDMA WRITE (modelled card fdr)" in labels and not any(each.startswith("ib_") for each in labels)


def fits(drawn: dict[str, object]) -> set[str]:
    return {name for name in drawn if name.endswith(".fit")}


def test_an_experiment_whose_lines_speak_of_the_times_says_nothing_twice(tmp_path: Path) -> None:
    claims = make_claims(laboratory.evidence_of("mpi_bandwidth_latency", tmp_path))
    assert claims.latencies and "the p99 of" not in draft(claims)
