"""Published times and values come out of their files in base units."""

from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.report.evidence.published import published_times, published_values


def test_published_times_have_a_line() -> None:
    (times,) = published_times("mpi_bandwidth_latency")
    line = times.line(times.sizes[0], times.sizes[-1])
    assert 1e9 / line.slope.value == pytest.approx(5939141590, abs=1)
    assert (line.slope.interval, line.slope.n) == (None, 1)
    assert line.intercept.value == pytest.approx(2.3124e6, abs=50)
    assert round(line.r_squared or 0, 5) == 0.99892 and line.n == len(times.points) == 938


def test_published_values_have_base_units() -> None:
    (table,) = published_values("mpi_blocking_nonblocking")
    assert len(table.values) == 12
    latency, bandwidth = table.values["send_latency", "blocking"], table.values["receive_bandwidth", "nonblocking"]
    assert latency[0] == pytest.approx(310.15e-6) and latency[1] == "s"
    assert bandwidth[0] == pytest.approx(44.93e6) and bandwidth[1] == "B/s"


def test_report_names_the_other_link_of_a_published_curve(tmp_path: Path) -> None:
    evidence = laboratory.evidence_of("verbs_throughput", tmp_path / "records")
    assert "another link" in laboratory.body_of(evidence, tmp_path)
