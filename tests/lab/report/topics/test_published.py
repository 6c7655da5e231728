"""Published times and values, and how far a modelled card is from published curves: lab.report.topics.published."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest
from tests.lab.report import laboratory

from lab.report.evidence.evidence import Evidence
from lab.report.evidence.published_curves import published_curves
from lab.report.tables.model_errors import impossible
from lab.report.topics.published import (
    ModelErrors,
    impossible_rates,
    model_errors,
    published_times,
    published_values,
)

NAME = "verbs_throughput"


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return laboratory.evidence_of(NAME, tmp_path_factory.mktemp("records"))


@pytest.fixture
def of_card(evidence: Evidence) -> ModelErrors:
    """Of the first series over a card from the first report."""
    return next(each for each in model_errors(evidence) if each.curve.name == "card")


def test_each_published_size_has_its_error_in_percent(of_card: ModelErrors) -> None:
    theirs = published_curves(NAME)[0]
    rates = dict(zip(theirs.sizes, theirs.rates, strict=True))
    assert tuple(of_card.by_size) == theirs.sizes and len(theirs.sizes) == 21
    for size, answer in of_card.by_size.items():
        expected = 100 * (median(of_card.curve.values(size)) / rates[size].value - 1)
        assert answer.estimate.value == pytest.approx(expected, abs=1e-9) and answer.unit == "percent"


def test_the_median_is_of_those_errors_without_signs_and_none_is_left_out(of_card: ModelErrors) -> None:
    errors = [answer.estimate.value for answer in of_card.by_size.values()]
    assert of_card.median.estimate.value == pytest.approx(median(map(abs, errors)))


def test_only_a_write_over_the_card_is_compared(evidence: Evidence) -> None:
    names = {each.curve.name for each in model_errors(evidence)}
    assert names == {"card", "card.inline"}


@pytest.mark.parametrize(
    ("experiment", "labels"),
    [
        ("verbs_throughput", ["Report B, RDMA WRITE"]),
        ("write_parameters", ["Report B, RDMA WRITE"]),
        ("mpi_bandwidth_latency", []),
        ("throughput_until_stable", []),  # no card stands for its machine
    ],
)
def test_a_published_curve_above_the_rate_of_its_modelled_link_is_found(experiment: str, labels: list[str]) -> None:
    found = list(impossible_rates(experiment))
    assert [each.label for each in found] == labels
    assert all(
        each.rate.estimate.value == pytest.approx(4.139e9, rel=1e-3) and each.link_bit_s == 32e9 for each in found
    )


def test_a_sentence_says_so(evidence: Evidence) -> None:
    (sentence,) = impossible(evidence)
    assert r"Report B, RDMA WRITE reaches \qty{4.139}{\giga\byte\per\second}, which is more than the" in sentence
    assert r"\qty{32}{\giga\bit\per\second} link by which it is modelled can carry" in sentence


def test_the_report_names_another_link_beside_the_curve(evidence: Evidence, tmp_path: Path) -> None:
    assert "another link" in laboratory.body_of(evidence, tmp_path)


def test_a_machine_that_no_card_stands_for_has_none(tmp_path: Path) -> None:
    assert published_curves("throughput_until_stable")
    assert not list(model_errors(laboratory.evidence_of("throughput_until_stable", tmp_path)))


def test_round_trips_of_published_sizes_have_the_error_of_their_rate(tmp_path: Path) -> None:
    (found,) = model_errors(laboratory.evidence_of("mpi_bandwidth_latency", tmp_path))
    (theirs,) = published_times("mpi_bandwidth_latency")
    assert tuple(found.by_size) == (16_000_000, 32_000_000, 64_000_000) and found.curve.name == "card.published"
    seconds = median(each for size, each in theirs.points if size == 16_000_000)
    ours_s = median(found.curve.values(16_000_000)) / 2e9
    expected = 100 * (seconds / ours_s - 1)
    assert found.by_size[16_000_000].estimate.value == pytest.approx(expected, abs=1e-3)  # six trips have two medians


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
