"""What a first page may call people and courses: lab.report.check.names."""

from __future__ import annotations

import pytest
from tests.lab.report.check.test_corpus import ledger

from lab.report.check.names import require_names
from lab.report.errors import ClaimsRefused
from lab.report.tex.escape import escape

HONEST = (
    "Ada Lovelace",
    "Juan José 2nd",
    "O'Neil",
    "Nguy\u00ean V\u0103n A",
    "CS144: Networks",
    "Computer Networks 2 (6 ECTS)",
    "Rechnernetze (WS 2026/27), Gruppe 3",
    "Course 5.1: MPI & RDMA",
    "InfiniBand and RDMA, Tue 10:15",
    "RDMA versus TCP",
    "Fast & Low-Latency Networking",
    "Double Degree in CS, 3rd year",
    "",
)
CLAIMS = (
    "Ada, whose RDMA reaches 99 GB/s",
    "RDMA is 5 times as fast as TCP",
    "RDMA was twice as fast as TCP",
    "Networks: 50 % less latency",
    "A latency of 2 us",
    "RDMA beats TCP",
    "TCP is never faster",
)


@pytest.mark.parametrize("name", HONEST)
def test_names_of_people_and_courses_are_no_claims(name: str) -> None:
    require_names([escape(name)], "report.toml", ledger("verbs_throughput"))


@pytest.mark.parametrize("name", CLAIMS)
def test_a_result_among_the_names_is_refused(name: str) -> None:
    with pytest.raises(ClaimsRefused, match="names are names"):
        require_names(["Ada", escape(name)], "report.toml", ledger("verbs_throughput"))
