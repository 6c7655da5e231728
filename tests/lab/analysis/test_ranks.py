import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lab.analysis.estimate import estimate_quantiles, interval_ranks, place


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
