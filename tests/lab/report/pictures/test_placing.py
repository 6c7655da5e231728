"""The figure of the first page: lab.report.pictures.placing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.report.pictures import pictures
from lab.report.pictures.placing import headline

SHOWN = {
    "verbs_throughput": "speedup.card_over_tcp.card",
    "write_parameters": "speedup.card_over_tcp.card",
    "mpi_bandwidth_latency": "half_trip",
    "mpi_blocking_nonblocking": "sides.tcp",
    "throughput_until_stable": "corrected",
    "latency": "half_trip",
}


@pytest.mark.parametrize("name", SHOWN)
def test_the_first_page_shows_what_the_experiment_was_made_for(name: str, tmp_path: Path) -> None:
    evidence = laboratory.evidence_of(name, tmp_path)
    drawn = frozenset(sketch.name for sketch in pictures(evidence))
    assert headline(evidence, drawn) == SHOWN[name]
    assert headline(evidence, frozenset({"throughput"})) == "throughput" and headline(evidence, frozenset()) == ""
