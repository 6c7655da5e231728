"""Samples, medians, means and quantiles with their intervals."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lab.analysis.estimate import (
    BadSample,
    Estimate,
    Interval,
    TooFewSamples,
    binomial,
    check_pairs,
    check_samples,
    estimate_mean,
    estimate_median,
    estimate_quantiles,
    fisher,
    interval_ranks,
    place,
    reciprocal,
    student,
    supported_quantile,
)


def test_intervals_hold_both_ends_and_overlap_where_they_share_a_value() -> None:
    interval = Interval(1.0, 2.0)
    assert [interval.contains(value) for value in (0.999, 1.0, 2.0, 2.001)] == [False, True, True, False]
    assert [interval.overlaps(Interval(*ends)) for ends in ((2.0, 3.0), (2.1, 3.0), (0.0, 0.9))] == [True, False, False]


def test_the_reciprocal_of_a_slope_swaps_the_ends_of_its_interval() -> None:
    rate = reciprocal(Estimate(0.25, Interval(0.2, 0.5), 10))
    assert rate == Estimate(4.0, Interval(2.0, 5.0), 10)


def test_an_interval_that_holds_zero_has_no_reciprocal() -> None:
    assert reciprocal(Estimate(0.25, Interval(-0.5, 0.5), 10)).interval is None


def test_no_samples_are_an_error_that_says_how_many_are_needed() -> None:
    with pytest.raises(TooFewSamples) as caught:
        check_samples([], least=2)
    assert (caught.value.needed, caught.value.found) == (2, 0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf"), 2.0**54])
def test_a_sample_that_is_no_exact_number_is_named_by_its_index(bad: float) -> None:
    with pytest.raises(BadSample) as caught:
        check_samples([1.0, 2.0, bad])
    assert caught.value.index == 2


def test_integer_nanoseconds_keep_every_digit() -> None:
    nanoseconds = np.array([2**53 - 1, 2**53], dtype=np.int64)
    assert check_samples(nanoseconds).astype(np.int64).tolist() == nanoseconds.tolist()


def test_points_with_a_missing_coordinate_are_an_error() -> None:
    with pytest.raises(TooFewSamples):
        check_pairs([1, 2, 3], [1, 2], least=2)


def test_median_and_mean_by_hand() -> None:
    samples = [2, 4, 4, 4, 5, 5, 7, 9]
    assert (estimate_median(samples).value, estimate_mean(samples).value) == (4.5, 5)


def test_nothing_is_an_error() -> None:
    for estimate in (estimate_median, estimate_mean):
        with pytest.raises(TooFewSamples):
            estimate([])


def test_one_sample_has_a_value_and_no_interval() -> None:
    assert estimate_median([7]) == estimate_mean([7]) == Estimate(7, None, 1)
    assert supported_quantile([7], 0.5) is None


@pytest.mark.parametrize(
    ("n", "top"), [(5, None), (6, 0.5), (35, 0.75), (36, 0.9), (367, 0.95), (368, 0.99), (3688, 0.999)]
)
def test_only_quantiles_that_n_supports_are_given(n: int, top: float | None) -> None:
    given = [each for each in (0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999) if supported_quantile(np.arange(n), each)]
    assert max(given, default=None) == top


def test_a_small_spread_on_large_numbers_survives() -> None:
    interval = estimate_mean(2**50 + np.array([0, 1, 2, 3], dtype=np.int64)).interval
    assert interval is not None
    assert interval.width / 2 == pytest.approx(stats.t.ppf(0.975, 3) * np.std([0, 1, 2, 3], ddof=1) / 2, abs=0.25)


def test_the_mean_s_interval_is_student_s() -> None:
    values = [310.1, 309.2, 312.7, 311.0, 308.8]
    low, high = stats.t.interval(0.95, 4, np.mean(values), stats.sem(values))
    interval = estimate_mean(values).interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((low, high))


@pytest.mark.parametrize(("n", "ranks"), [(5, None), (6, (0, 5)), (10, (1, 8)), (20, (5, 14)), (100, (39, 60))])
def test_ranks_of_the_median_are_those_of_the_tables(n: int, ranks: tuple[int, int] | None) -> None:
    assert interval_ranks(n, 0.5) == ranks


@given(st.integers(1, 3000), st.sampled_from([0.05, 0.5, 0.9, 0.99]), st.sampled_from([0.9, 0.95, 0.99]))
def test_ranks_hold_the_quantile_with_at_least_their_confidence(n: int, quantile: float, level: float) -> None:
    ranks = interval_ranks(n, quantile, level)
    if ranks:
        low, high = ranks
        assert stats.binom.cdf(high, n, quantile) - stats.binom.cdf(low, n, quantile) >= level - 1e-9


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=200), st.data())
def test_placed_ranks_hold_what_a_full_sort_puts_there(values: list[int], data: st.DataObject) -> None:
    rank = data.draw(st.integers(0, len(values) - 1))
    assert place(np.array(values, dtype=np.float64), (rank,))[rank] == sorted(values)[rank]


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=200))
def test_quantiles_equal_those_of_numpy(values: list[int]) -> None:
    samples = np.array(values, dtype=np.float64)
    for quantile, found in estimate_quantiles(samples, (0.05, 0.5, 0.99)).items():
        assert found.value == pytest.approx(np.quantile(samples, quantile), rel=1e-12)


def test_the_median_s_interval_holds_the_truth_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    truth = stats.expon.median()
    intervals = [estimate_quantiles(random.exponential(size=15), (0.5,))[0.5].interval for _ in range(1000)]
    held = sum(interval is not None and interval.contains(truth) for interval in intervals)
    assert 940 <= held <= 990


TAILS = [tail for level in (0.9, 0.95, 0.99) for tail in ((1 - level) / 2, (1 + level) / 2)]


@pytest.mark.parametrize("n", [1, 2, 3, 6, 10, 30, 71, 199, 1000, 100_000])
def test_ranks_are_those_of_the_binomial_distribution(n: int) -> None:
    for chance in (0.05, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999):
        assert [binomial(tail, n, chance) for tail in TAILS] == [
            int(stats.binom.ppf(tail, n, chance)) for tail in TAILS
        ]


def test_quantiles_are_those_of_student_and_fisher() -> None:
    for freedom in (1, 2, 5, 9, 38, 500):
        assert [student(tail, freedom) for tail in TAILS] == [stats.t.ppf(tail, freedom) for tail in TAILS]
        assert [fisher(tail, 1, freedom) for tail in TAILS] == [stats.f.ppf(tail, 1, freedom) for tail in TAILS]


SECONDS = 10
KILOBYTES = 1_000_000
PROGRAM = f"""
import resource
import numpy as np
from lab.analysis import estimate, lines, ratios

resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
samples = np.random.default_rng(1).integers(1_000, 100_000, 10_000_000)
estimate.estimate_median(samples)
estimate.estimate_mean(samples)
estimate.supported_quantile(samples, 0.99)
ratios.ratio_of_medians(samples, samples)
lines.fit_line(samples, samples)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_ten_million_samples_take_at_most_ten_seconds_and_a_gigabyte() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ended by its limit of {SECONDS} s of processor time, or: {done.stderr}"
    assert int(done.stdout) <= KILOBYTES
