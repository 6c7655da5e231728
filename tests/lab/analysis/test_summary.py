import numpy as np
import pytest
from scipy import stats

from lab.analysis.estimate import Interval
from lab.analysis.samples import TooFewSamples
from lab.analysis.summary import estimate_mean, estimate_median, summarize


def test_a_summary_by_hand() -> None:
    summary = summarize([2, 4, 4, 4, 5, 5, 7, 9])
    assert (summary.n, summary.minimum, summary.maximum) == (8, 2, 9)
    assert summary.median.value == 4.5
    assert summary.mean.value == 5
    assert summary.standard_deviation == pytest.approx((32 / 7) ** 0.5)
    assert summary.coefficient_of_variation == pytest.approx((32 / 7) ** 0.5 / 5)


def test_deviations_under_a_microsecond_are_not_truncated_to_zero() -> None:
    summary = summarize([1.2, 1.4, 1.9, 1.1, 1.6])
    assert summary.standard_deviation == pytest.approx(0.320936, abs=1e-6)


def test_the_worst_sample_is_the_maximum() -> None:
    assert summarize([1, 1, 1, 1, 1000]).maximum == 1000


def test_nothing_is_an_error() -> None:
    with pytest.raises(TooFewSamples):
        summarize([])


def test_one_sample_has_a_value_and_neither_spread_nor_interval() -> None:
    summary = summarize([7])
    assert summary.median.value == summary.mean.value == 7
    assert summary.median.interval is None and summary.mean.interval is None
    assert summary.standard_deviation is None and summary.coefficient_of_variation is None
    assert summary.quantiles == {}


@pytest.mark.parametrize(
    ("n", "top"), [(5, None), (6, 0.5), (35, 0.75), (36, 0.9), (367, 0.95), (368, 0.99), (3688, 0.999)]
)
def test_only_quantiles_that_n_supports_are_given(n: int, top: float | None) -> None:
    assert max(summarize(np.arange(n)).quantiles, default=None) == top


def test_equal_samples_have_an_interval_of_no_width() -> None:
    assert estimate_median([3] * 10).interval == Interval(3, 3)


def test_a_small_spread_on_large_numbers_survives() -> None:
    samples = 2**50 + np.array([0, 1, 2, 3], dtype=np.int64)
    assert summarize(samples).standard_deviation == pytest.approx(np.std([0, 1, 2, 3], ddof=1))


def test_the_mean_s_interval_is_student_s() -> None:
    values = [310.1, 309.2, 312.7, 311.0, 308.8]
    low, high = stats.t.interval(0.95, 4, np.mean(values), stats.sem(values))
    interval = estimate_mean(values).interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((low, high))
