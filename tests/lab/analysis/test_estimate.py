"""Samples, medians, means and quantiles with their intervals."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lab.analysis import estimate as module
from lab.analysis.estimate import BadSample, Estimate, Interval, TooFewSamples, estimate_mean, estimate_median


def test_intervals_include_their_ends_and_overlap_if_they_share_a_value() -> None:
    interval = Interval(1.0, 2.0)
    assert [interval.contains(value) for value in (0.999, 1.0, 2.0, 2.001)] == [False, True, True, False]
    assert [interval.overlaps(Interval(*ends)) for ends in ((2.0, 3.0), (2.1, 3.0), (0.0, 0.9))] == [True, False, False]


def test_reciprocal_swaps_the_ends_of_an_interval_without_zero() -> None:
    assert module.reciprocal(Estimate(0.25, Interval(0.2, 0.5), 10)) == Estimate(4.0, Interval(2.0, 5.0), 10)
    assert module.reciprocal(Estimate(0.25, Interval(-0.5, 0.5), 10)).interval is None


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(TooFewSamples, match="0 samples where at least 2 are needed"):
        module.check_samples([], least=2)
    with pytest.raises(TooFewSamples):
        module.check_pairs([1, 2, 3], [1, 2], least=2)
    for estimate in (estimate_median, estimate_mean):
        with pytest.raises(TooFewSamples):
            estimate([])


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf"), 2.0**54])
def test_inexact_sample_is_named_by_its_index(bad: float) -> None:
    with pytest.raises(BadSample, match="sample 2 is"):
        module.check_samples([1.0, 2.0, bad])


def test_one_sample_has_a_value_without_an_interval() -> None:
    assert estimate_median([7]) == estimate_mean([7]) == Estimate(7, None, 1)
    assert module.supported_quantile([7], 0.5) is None


@pytest.mark.parametrize(
    ("n", "top"), [(5, None), (6, 0.5), (35, 0.75), (36, 0.9), (367, 0.95), (368, 0.99), (3688, 0.999)]
)
def test_number_of_samples_limits_the_quantiles(n: int, top: float | None) -> None:
    quantiles = (0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999)
    assert max((share for share in quantiles if module.supported_quantile(np.arange(n), share)), default=None) == top


@pytest.mark.parametrize(("n", "ranks"), [(5, None), (6, (0, 5)), (10, (1, 8)), (20, (5, 14)), (100, (39, 60))])
def test_ranks_of_the_median_equal_published_tables(n: int, ranks: tuple[int, int] | None) -> None:
    assert module.interval_ranks(n, 0.5) == ranks


@given(st.integers(1, 3000), st.sampled_from([0.05, 0.5, 0.9, 0.99]))
def test_ranks_contain_the_quantile_with_their_confidence(n: int, quantile: float) -> None:
    ranks = module.interval_ranks(n, quantile)
    if ranks:
        low, high = ranks
        assert stats.binom.cdf(high, n, quantile) - stats.binom.cdf(low, n, quantile) >= module.LEVEL - 1e-9


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=200), st.data())
def test_placed_ranks_equal_a_full_sort(values: list[int], data: st.DataObject) -> None:
    rank = data.draw(st.integers(0, len(values) - 1))
    assert module.place(np.array(values, dtype=np.float64), (rank,))[rank] == sorted(values)[rank]


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=200))
def test_quantiles_equal_those_of_numpy(values: list[int]) -> None:
    for quantile in (0.05, 0.5, 0.99):
        found = module.estimate_quantile(values, quantile).value
        assert found == pytest.approx(np.quantile(values, quantile), rel=1e-12)


def test_interval_of_a_median_contains_the_truth_in_most_samples() -> None:
    random = np.random.default_rng(1)
    truth = stats.expon.median()
    intervals = [estimate_median(random.exponential(size=15)).interval for _ in range(1000)]
    held = sum(interval is not None and interval.contains(truth) for interval in intervals)
    assert 940 <= held <= 990


TAILS = [tail for level in (0.5, 0.9, 0.95, 0.99) for tail in ((1 - level) / 2, (1 + level) / 2)]


@pytest.mark.parametrize("n", [1, 2, 6, 30, 199, 100_000])
def test_binomial_quantiles_equal_scipys(n: int) -> None:
    for chance in (0.05, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999):
        assert [module.binomial(tail, n, chance) for tail in TAILS] == [
            int(stats.binom.ppf(tail, n, chance)) for tail in TAILS
        ]


def test_student_and_fisher_quantiles_equal_scipys() -> None:
    for freedom in (1, 2, 5, 9, 38, 500):
        for tail in TAILS:
            assert module.student(tail, freedom) == pytest.approx(stats.t.ppf(tail, freedom), rel=1e-11)
            assert module.fisher(tail, freedom) == pytest.approx(stats.f.ppf(tail, 1, freedom), rel=1e-11)


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


def test_ten_million_samples_need_at_most_ten_cpu_seconds_and_a_gigabyte() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ended by its limit of {SECONDS} s of CPU time, or: {done.stderr}"
    assert int(done.stdout) <= KILOBYTES
