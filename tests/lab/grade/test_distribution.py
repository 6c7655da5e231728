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


def kinds(given: list[Row], traits: Traits = EXACT) -> set[Flaw]:
    return {each.kind for each in distribution_findings(given, rows(), traits)}


def of(wanted: str, by: float) -> Factor:
    """One series is faster or slower, or all are."""
    return lambda series, *_: by if wanted in (series, "all") else 1.0


@pytest.mark.parametrize("by", [1.0, 0.97, 1.04])
@pytest.mark.parametrize("series", ["all", "verbs"])
@pytest.mark.parametrize("traits", [EXACT, Cable.traits], ids=["exact", "wall"])
def test_another_machine_of_the_kind_raises_no_alarm(series: str, by: float, traits: Traits) -> None:
    assert kinds(rows(of(series, by)), traits) == set()
    assert kinds(rows(of(series, by), tuple(reversed(LUCK))), traits) == set()


@pytest.mark.parametrize("by", [0.905, 0.94, 1.06, 1.095])
def test_a_shift_of_a_whole_series_is_found_although_each_median_is_within_its_tolerance(by: float) -> None:
    assert kinds(rows(of("verbs", by))) == {Flaw.SHIFT, Flaw.RATIO}
    assert kinds(rows(of("all", by))) == {Flaw.SHIFT}


def test_series_that_move_apart_are_found_by_their_ratio() -> None:
    apart = rows(lambda series, *_: 1.04 if series == "verbs" else 0.96)
    assert kinds(apart) == {Flaw.RATIO}
    at_one_size = rows(lambda series, size, _: {"verbs": 1.06, "tcp": 0.95}[series] if size == 64 else 1.0)
    (found,) = distribution_findings(at_one_size, rows(), EXACT)
    assert found.kind is Flaw.RATIO and found.what.startswith("the ratio of verbs at 64 B") and "1.116" in found.what


def test_a_median_beyond_the_tolerance_is_named_with_its_place() -> None:
    found = list(distribution_findings(rows(lambda _, size, __: 1.2 if size == 64 else 1.0), rows(), EXACT))
    assert {each.kind for each in found} == {Flaw.TOLERANCE, Flaw.REPETITION, Flaw.SHIFT}
    assert found[0].what == f"verbs at 64 B, {COLUMN} is 1.200 of what is measured here, allowed is 10%"


def test_one_repetition_far_off_is_found_and_on_a_wall_clock_it_may_be_another_process() -> None:
    one = rows(lambda series, size, repetition: 0.7 if (series, size, repetition) == ("tcp", 64, 2) else 1.0)
    assert kinds(one) == {Flaw.REPETITION, Flaw.SPREAD}
    assert kinds(one, Cable.traits) == set()
    two = rows(lambda _, size, repetition: 0.7 if size == 64 and repetition < 2 else 1.0)
    assert Flaw.REPETITION in kinds(two, Cable.traits)


def test_an_invented_spread_is_found_whether_wide_or_none() -> None:
    assert kinds(rows(luck=(0.92, 1.09, 1.0, 0.93, 1.08, 1.0))) == {Flaw.SPREAD}
    assert kinds(rows(luck=(1.0,) * 6)) == {Flaw.SPREAD}
    wide = rows(luck=(0.7, 1.3, 1.0, 0.8, 1.2, 1.0))
    assert {each.kind for each in distribution_findings(rows(), wide, EXACT)} == {Flaw.SPREAD}


def test_where_the_graders_own_repetitions_lie_far_apart_no_median_is_held_to_the_tolerance() -> None:
    """Some sizes have two rates, and luck chooses: renewals of the reference moved such medians by more."""
    two_rates = rows(lambda _, size, repetition: 1.5 if size == 64 and repetition % 2 else 1.0)
    other_luck = rows(lambda _, size, repetition: 1.5 if size == 64 and repetition < 4 else 1.0)
    assert {each.kind for each in distribution_findings(other_luck, two_rates, EXACT)} == set()
    beyond = rows(lambda _, size, __: 2.5 if size == 64 else 1.0)
    assert Flaw.TOLERANCE in {each.kind for each in distribution_findings(beyond, two_rates, EXACT)}


def test_one_repetition_has_no_spread() -> None:
    once = [each for each in rows() if each.repetition == 0]
    assert list(distribution_findings(once, once, EXACT)) == []


def test_rows_that_only_one_side_has_are_named() -> None:
    more, fewer = [*rows(), replace(rows()[0], series="more")], rows()[REPETITIONS:]
    assert [each.what for each in distribution_findings(more, rows(), EXACT)] == [
        f"more at 64 B, {COLUMN} is handed in, but not measured here"
    ]
    assert f"verbs at 64 B, {COLUMN} is measured here, but not handed in" in {
        each.what for each in distribution_findings(fewer, rows(), EXACT)
    }


def test_values_that_nothing_measures_end_in_findings() -> None:
    for value in (0, 10**19):
        strange = [replace(each, counts={COLUMN: value}) for each in rows()]
        assert Flaw.TOLERANCE in kinds(strange) and list(distribution_findings(strange, strange, EXACT)) == []


def test_two_honest_runs_on_a_noisy_wall_clock_are_seldom_named() -> None:
    """A hundred pairs of runs with 2 % of noise each, and another day's 1 %."""
    luck = random.Random(1)

    def run() -> list[Row]:
        day = {series: luck.gauss(1, 0.01) for series in RATES}
        return rows(lambda series, *_: day[series] * luck.gauss(1, 0.02), (1.0,) * REPETITIONS)

    named = sum(any(distribution_findings(run(), run(), Cable.traits)) for _ in range(100))
    assert named <= 2
