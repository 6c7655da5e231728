"""Published times and values: lab.report.topics.published."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.report.evidence.evidence import Evidence
from lab.report.topics.published import published_times, published_values

NAME = "verbs_throughput"


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return laboratory.evidence_of(NAME, tmp_path_factory.mktemp("records"))


def test_the_report_names_another_link_beside_the_curve(evidence: Evidence, tmp_path: Path) -> None:
    assert "another link" in laboratory.body_of(evidence, tmp_path)


def test_the_published_line_comes_out_of_the_published_file() -> None:
    (found,) = published_times("mpi_bandwidth_latency")
    line = found.times().line()
    assert 1e9 / line.slope.value == pytest.approx(5939141590, abs=1)
    assert (line.slope.interval, line.slope.n) == (None, 1)
    assert line.intercept.value == pytest.approx(2.3124e6, abs=50)
    assert round(line.r_squared or 0, 5) == 0.99892 and line.n == len(found.points) == 938


def test_published_values_come_in_base_units_with_their_file() -> None:
    (found,) = published_values("mpi_blocking_nonblocking")
    assert len(found.values) == 12
    latency, bandwidth = found.values["send_latency", "blocking"], found.values["receive_bandwidth", "nonblocking"]
    assert latency.estimate.value == pytest.approx(310.15e-6) and latency.unit == "s"
    assert bandwidth.estimate.value == pytest.approx(44.93e6) and bandwidth.unit == "B/s"
    assert latency.is_exact and latency.source.endswith("published/mpi_blocking_nonblocking.csv")
