"""What is compared by tolerance, in distribution: every repetition, the spread, whole series and their ratios."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from lab.grade.distribution import distribution_findings
from lab.grade.finding import Flaw
from lab.records.table import Row
from lab.sites.cable import Cable
from lab.sites.site import EXACT, Traits

SIZES, REPETITIONS = (64, 4096, 65536), 6
RATES = {"verbs": 100_000_000, "tcp": 400_000_000}
LUCK = (1.0, 1.003, 0.998, 1.006, 0.995, 1.001)  # of each repetition
COLUMN = "confirmed_bytes_per_s"

Factor = Callable[[str, int, int], float]  # of series, size and repetition


def rows(factor: Factor = lambda *_: 1.0, luck: tuple[float, ...] = LUCK) -> list[Row]:
    return [
        Row(
            *(series, "p", "write", "throughput"),
            repetition=repetition,
            size_bytes=size,
            record="0",
            counts={COLUMN: round(rate * size / (size + 500) * luck[repetition] * factor(series, size, repetition))},
        )
        for series, rate in RATES.items()
        for size in SIZES
        for repetition in range(REPETITIONS)
    ]


def kinds(claimed: list[Row], traits: Traits = EXACT, graders: list[Row] | None = None) -> set[Flaw]:
    return {finding.kind for finding in distribution_findings(claimed, graders or rows(), traits)}


def of(wanted: str, by: float) -> Factor:
    """One series is faster or slower, or all are."""
    return lambda series, *_: by if wanted in (series, "all") else 1.0


def at_64(by: float, repetitions: tuple[int, ...] = (0, 1, 2, 3, 4, 5)) -> Factor:
    return lambda _, size, repetition: by if size == 64 and repetition in repetitions else 1.0


@pytest.mark.parametrize("by", [1.0, 0.97, 1.04])
@pytest.mark.parametrize("series", ["all", "verbs"])
@pytest.mark.parametrize("traits", [EXACT, Cable.traits], ids=["exact", "wall"])
def test_another_machine_of_the_kind_raises_no_alarm(series: str, by: float, traits: Traits) -> None:
    assert kinds(rows(of(series, by)), traits) == set()
    assert kinds(rows(of(series, by), tuple(reversed(LUCK))), traits) == set()


@pytest.mark.parametrize("by", [0.905, 0.94, 1.06, 1.095])
def test_shift_of_a_series_is_found_within_the_tolerance_of_each_median(by: float) -> None:
    assert kinds(rows(of("verbs", by))) == {Flaw.SHIFT, Flaw.RATIO}
    assert kinds(rows(of("all", by))) == {Flaw.SHIFT}


def test_series_that_move_apart_are_found_by_their_ratio() -> None:
    assert kinds(rows(lambda series, *_: 1.04 if series == "verbs" else 0.96)) == {Flaw.RATIO}
    at_one_size = rows(lambda series, size, _: {"verbs": 1.06, "tcp": 0.95}[series] if size == 64 else 1.0)
    (finding,) = distribution_findings(at_one_size, rows(), EXACT)
    assert finding.kind is Flaw.RATIO
    assert finding.what.startswith("the ratio of verbs at 64 B") and "1.116" in finding.what


def test_median_beyond_the_tolerance_is_named_with_its_place() -> None:
    findings = list(distribution_findings(rows(at_64(1.2)), rows(), EXACT))
    assert {finding.kind for finding in findings} == {Flaw.TOLERANCE, Flaw.REPETITION, Flaw.SHIFT}
    assert findings[0].what == f"verbs at 64 B, {COLUMN} is 1.200 of what is measured here, allowed is 10%"


def test_one_distant_repetition_is_allowed_only_on_a_wall_clock() -> None:
    one = rows(lambda series, size, repetition: 0.7 if (series, size, repetition) == ("tcp", 64, 2) else 1.0)
    assert kinds(one) == {Flaw.REPETITION, Flaw.SPREAD}
    assert kinds(one, Cable.traits) == set()
    assert Flaw.REPETITION in kinds(rows(at_64(0.7, (0, 1))), Cable.traits)


def test_invented_spread_is_found() -> None:
    for luck in ((0.92, 1.09, 1.0, 0.93, 1.08, 1.0), (1.0,) * 6):
        assert kinds(rows(luck=luck)) == {Flaw.SPREAD}
    assert kinds(rows(), graders=rows(luck=(0.7, 1.3, 1.0, 0.8, 1.2, 1.0))) == {Flaw.SPREAD}


def test_spread_of_the_grader_widens_the_tolerance() -> None:
    """Some sizes have two rates, and luck chooses: renewals of the reference moved such medians by more."""
    two_rates = rows(at_64(1.5, (1, 3, 5)))
    assert kinds(rows(at_64(1.5, (0, 1, 2, 3))), graders=two_rates) == set()
    assert Flaw.TOLERANCE in kinds(rows(at_64(2.5)), graders=two_rates)


def test_one_repetition_has_no_spread() -> None:
    once = [row for row in rows() if row.repetition == 0]
    assert kinds(once, graders=once) == set()


def test_rows_of_one_side_are_named() -> None:
    more, fewer = [*rows(), replace(rows()[0], series="more")], rows()[REPETITIONS:]
    (finding,) = distribution_findings(more, rows(), EXACT)
    assert finding.what == f"more at 64 B, {COLUMN} is handed in, but not measured here"
    whats = {finding.what for finding in distribution_findings(fewer, rows(), EXACT)}
    assert f"verbs at 64 B, {COLUMN} is measured here, but not handed in" in whats


@pytest.mark.parametrize("value", [0, 10**19])
def test_impossible_values_end_in_findings(value: int) -> None:
    strange = [replace(row, counts={COLUMN: value}) for row in rows()]
    assert Flaw.TOLERANCE in kinds(strange) and kinds(strange, graders=strange) == set()


def test_two_honest_runs_on_a_noisy_wall_clock_seldom_differ() -> None:
    """A hundred pairs of runs with 2 % of noise each, and another day's 1 %."""
    luck = random.Random(1)

    def run() -> list[Row]:
        day = {series: luck.gauss(1, 0.01) for series in RATES}
        return rows(lambda series, *_: day[series] * luck.gauss(1, 0.02), (1.0,) * REPETITIONS)

    assert sum(bool(kinds(run(), Cable.traits, run())) for _ in range(100)) <= 2
