import numpy as np
import pytest
from scipy import stats

from lab.analysis.ratios import ratio_of_medians, resampled_medians
from lab.analysis.samples import BadSample


def test_the_ratio_is_that_of_the_medians() -> None:
    assert ratio_of_medians([2, 4, 90], [1, 2, 3]).value == 2


def test_below_six_samples_a_ratio_has_no_interval() -> None:
    assert ratio_of_medians([1] * 5, [1] * 10).interval is None
    assert ratio_of_medians([1] * 6, [1] * 6).interval is not None


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    samples, base = np.random.default_rng(1).normal(10, 1, (2, 30))
    assert ratio_of_medians(samples, base, seed=7) == ratio_of_medians(samples, base, seed=7)
    below, above = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    one, other = (resampled_medians(np.r_[below, above], np.random.default_rng(seed)) for seed in (1, 2))
    assert not np.array_equal(one, other)


def test_a_base_of_zero_is_an_error() -> None:
    with pytest.raises(BadSample):
        ratio_of_medians([1, 2], [1, 0])


@pytest.mark.parametrize("n", [10, 11])
def test_resampled_medians_are_distributed_like_medians_of_resamples(n: int) -> None:
    random = np.random.default_rng(1)
    samples = random.exponential(size=n)
    drawn = np.median(random.choice(samples, (20_000, n)), axis=1)
    quick = resampled_medians(samples, random, 20_000)
    assert stats.ks_2samp(drawn, quick).statistic < 0.02


def test_the_interval_holds_the_true_ratio_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        interval = ratio_of_medians(random.normal(20, 1, 10), random.normal(10, 1, 10)).interval
        held += interval is not None and interval.contains(2)
    assert 0.93 <= held / 400 <= 0.99
