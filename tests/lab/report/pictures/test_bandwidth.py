"""Figures that lay several series beside each other: lab.report.pictures.{bandwidth,ratios}."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.figures import BySize, Ratios
from lab.report.pictures import pictures
from lab.report.topics.latency import message_time, round_trips


def test_small_large_and_published_sizes_of_a_transport_are_one_curve_beside_the_published_one(tmp_path: Path) -> None:
    evidence = laboratory.evidence_of("mpi_bandwidth_latency", tmp_path)
    data = {each.name: each.data for each in pictures(evidence)}["bandwidth"]
    assert isinstance(data, BySize)
    card, theirs = data.curves[0], data.curves[-1]
    assert card.label == "MPI over verbs (modelled card fdr)" and (card.x[0], card.x[-1]) == (1.0, 64e6)
    assert list(card.x) == sorted(set(card.x)) and len(card.x) == 8 + 33 + 3
    half = message_time(round_trips(evidence, evidence.series("card.published")), 64_000_000).estimate.value
    assert card.y[-1].value == pytest.approx(64e6 / half, rel=1e-5)  # of an even number, a median is a mean
    assert theirs.machine and theirs.x[0] == 16e6 and 4e9 < theirs.y[-1].value < 7e9
    assert not [each for each in data.curves if each.label.startswith("MPI over TCP") and "wire" not in each.label]


def test_transports_over_one_base_share_a_figure_and_a_link_has_no_other(tmp_path: Path) -> None:
    evidence = laboratory.evidence_of("verbs_throughput", tmp_path)
    drawn = {each.name: each.data for each in pictures(evidence) if each.name.startswith("speedup")}
    assert set(drawn) == {
        "speedup.card_over_tcp.card",
        "speedup.verbs_over_tcp",
        "speedup.verbs.gigabit_over_tcp.gigabit",
    }
    over_card = drawn["speedup.card_over_tcp.card"]
    assert isinstance(over_card, Ratios)
    labels = [each.label for each in over_card.curves]
    assert labels[0] == "RDMA WRITE (modelled card qdr)" and labels[-1] == "RDMA WRITE (Soft-RoCE)" and len(labels) == 3
