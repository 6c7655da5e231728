"""Figures that lay several series beside each other: lab.report.pictures.ratios."""

from __future__ import annotations

from pathlib import Path

from tests.lab.report import laboratory

from lab.figures import Ratios
from lab.report.pictures import pictures


def test_transports_over_one_base_share_a_figure_and_a_link_has_no_other(tmp_path: Path) -> None:
    evidence = laboratory.evidence_of("verbs_throughput", tmp_path)
    drawn = {each.name: each.data for each in pictures(evidence) if each.name.startswith("speedup")}
    assert set(drawn) == {
        "speedup.card_over_tcp.card",
        "speedup.verbs_over_tcp",
    }
    over_card = drawn["speedup.card_over_tcp.card"]
    assert isinstance(over_card, Ratios)
    labels = [each.label for each in over_card.curves]
    assert labels[0] == "RDMA WRITE (modelled card qdr)" and labels[-1] == "RDMA WRITE (Soft-RoCE)" and len(labels) == 3
