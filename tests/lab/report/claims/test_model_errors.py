"""How far a modelled card is from published curves: lab.report.claims.model_errors."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest
from tests.lab.report import laboratory

from lab.report.claims.model_errors import ModelErrors, model_errors
from lab.report.claims.published_times import published_times
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.published_curves import published_curves

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
    for size, claim in of_card.by_size.items():
        expected = 100 * (median(of_card.curve.values(size)) / rates[size].value - 1)
        assert claim.estimate.value == pytest.approx(expected, abs=1e-9) and claim.unit == "percent"


def test_median_and_worst_are_of_those_errors_and_none_is_left_out(of_card: ModelErrors) -> None:
    errors = [claim.estimate.value for claim in of_card.by_size.values()]
    assert of_card.median.estimate.value == pytest.approx(median(map(abs, errors)))
    assert of_card.worst.estimate.value == max(errors, key=abs)


def test_only_a_write_over_the_card_is_compared(evidence: Evidence) -> None:
    names = {each.curve.name for each in model_errors(evidence)}
    assert names == {"card", "card.inline"}


def test_a_machine_that_no_card_stands_for_has_none(tmp_path: Path) -> None:
    assert published_curves("throughput_until_stable")
    assert model_errors(laboratory.evidence_of("throughput_until_stable", tmp_path)) == ()


def test_round_trips_of_published_sizes_have_the_error_of_their_rate(tmp_path: Path) -> None:
    (found,) = model_errors(laboratory.evidence_of("mpi_bandwidth_latency", tmp_path))
    (theirs,) = published_times("mpi_bandwidth_latency")
    assert tuple(found.by_size) == (16_000_000, 32_000_000, 64_000_000) and found.curve.name == "card.published"
    seconds = median(each for size, each in theirs.points if size == 16_000_000)
    ours_s = median(found.curve.values(16_000_000)) / 2e9
    expected = 100 * (seconds / ours_s - 1)
    assert found.by_size[16_000_000].estimate.value == pytest.approx(expected, abs=1e-3)  # six trips have two medians
