import numpy as np
import pytest
from scipy import stats

from lab.analysis.estimate import Estimate, Interval, TooFewSamples, estimate_mean, estimate_median, supported_quantile


def test_median_and_mean_by_hand() -> None:
    samples = [2, 4, 4, 4, 5, 5, 7, 9]
    assert (estimate_median(samples).value, estimate_mean(samples).value) == (4.5, 5)


def test_deviations_under_a_microsecond_are_not_truncated_to_zero() -> None:
    interval = estimate_mean([1.2, 1.4, 1.9, 1.1, 1.6]).interval
    assert interval is not None
    assert interval.width / 2 == pytest.approx(stats.t.ppf(0.975, 4) * 0.320936 / np.sqrt(5), abs=1e-6)


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


def test_equal_samples_have_an_interval_of_no_width() -> None:
    assert estimate_median([3] * 10).interval == Interval(3, 3)


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
