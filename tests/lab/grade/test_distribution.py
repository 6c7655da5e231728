"""Records compared in distribution: every repetition, the spread, whole series and their ratios."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from lab.grade.checks.data import distribution_findings
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


def of(name: str, by: float) -> Factor:
    """One series is faster or slower, or all are."""
    return lambda series, *_: by if name in (series, "all") else 1.0


def at_64(by: float, repetitions: tuple[int, ...] = (0, 1, 2, 3, 4, 5)) -> Factor:
    return lambda _, size, repetition: by if size == 64 and repetition in repetitions else 1.0


ONE_DISTANT = rows(lambda series, size, repetition: 0.7 if (series, size, repetition) == ("tcp", 64, 2) else 1.0)
TWO_RATES = rows(at_64(1.5, (1, 3, 5)))  # luck chooses the median: renewals of the reference moved some by more
ONCE = [row for row in rows() if row.repetition == 0]


@pytest.mark.parametrize("by", [1.0, 0.97, 1.04])
@pytest.mark.parametrize("series", ["all", "verbs"])
@pytest.mark.parametrize("traits", [EXACT, Cable.traits], ids=["exact", "wall"])
def test_another_machine_of_the_kind_raises_no_alarm(series: str, by: float, traits: Traits) -> None:
    assert kinds(rows(of(series, by)), traits) == set()
    assert kinds(rows(of(series, by), tuple(reversed(LUCK))), traits) == set()


@pytest.mark.parametrize(
    ("claimed", "traits", "graders", "flaws"),
    [
        (rows(of("verbs", 0.905)), EXACT, rows(), {Flaw.SHIFT, Flaw.RATIO}),
        (rows(of("verbs", 1.06)), EXACT, rows(), {Flaw.SHIFT, Flaw.RATIO}),
        (rows(of("all", 0.94)), EXACT, rows(), {Flaw.SHIFT}),
        (rows(of("all", 1.095)), EXACT, rows(), {Flaw.SHIFT}),
        (rows(lambda series, *_: 1.04 if series == "verbs" else 0.96), EXACT, rows(), {Flaw.RATIO}),
        (ONE_DISTANT, EXACT, rows(), {Flaw.REPETITION, Flaw.SPREAD}),
        (ONE_DISTANT, Cable.traits, rows(), set()),
        (rows(luck=(0.92, 1.09, 1.0, 0.93, 1.08, 1.0)), EXACT, rows(), {Flaw.SPREAD}),
        (rows(luck=(1.0,) * 6), EXACT, rows(), {Flaw.SPREAD}),
        (rows(), EXACT, rows(luck=(0.7, 1.3, 1.0, 0.8, 1.2, 1.0)), {Flaw.SPREAD}),
        (rows(at_64(1.5, (0, 1, 2, 3))), EXACT, TWO_RATES, set()),
        (ONCE, EXACT, ONCE, set()),
    ],
)
def test_invented_rates_are_found_by_their_distribution(
    claimed: list[Row], traits: Traits, graders: list[Row], flaws: set[Flaw]
) -> None:
    assert kinds(claimed, traits, graders) == flaws


def test_findings_beyond_a_wide_tolerance() -> None:
    assert Flaw.REPETITION in kinds(rows(at_64(0.7, (0, 1))), Cable.traits)
    assert Flaw.TOLERANCE in kinds(rows(at_64(2.5)), graders=TWO_RATES)


def test_findings_name_series_size_and_column() -> None:
    at_one_size = rows(lambda series, size, _: {"verbs": 1.06, "tcp": 0.95}[series] if size == 64 else 1.0)
    (finding,) = distribution_findings(at_one_size, rows(), EXACT)
    assert finding.kind is Flaw.RATIO
    assert finding.what.startswith("the ratio of verbs at 64 B") and "1.116" in finding.what
    findings = list(distribution_findings(rows(at_64(1.2)), rows(), EXACT))
    assert {finding.kind for finding in findings} == {Flaw.TOLERANCE, Flaw.REPETITION, Flaw.SHIFT}
    assert findings[0].what == f"verbs at 64 B, {COLUMN} is 1.200 of what is measured here, allowed is 10%"


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


def test_honest_runs_on_a_noisy_wall_clock_seldom_differ() -> None:
    """A hundred pairs of runs, each with 2 % of noise and 1 % of daily variation."""
    luck = random.Random(1)

    def run() -> list[Row]:
        day = {series: luck.gauss(1, 0.01) for series in RATES}
        return rows(lambda series, *_: day[series] * luck.gauss(1, 0.02), (1.0,) * REPETITIONS)

    assert sum(bool(kinds(run(), Cable.traits, run())) for _ in range(100)) <= 2
