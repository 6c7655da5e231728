import numpy as np
import pytest

from lab.analysis.outliers import mark_outliers


def test_a_sample_far_out_is_marked_and_kept() -> None:
    outliers = mark_outliers([2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3])  # Iglewicz & Hoaglin's example
    assert outliers.marked.tolist() == [False] * 8 + [True] * 2
    assert outliers.count == 2


def test_the_limits_follow_from_the_median_absolute_deviation() -> None:
    outliers = mark_outliers([1, 2, 3, 4, 5])
    assert (outliers.low, outliers.high) == pytest.approx((3 - 3.5 / 0.6745, 3 + 3.5 / 0.6745))


def test_a_sample_that_stands_out_of_equal_ones_is_marked() -> None:
    assert mark_outliers([5] * 19 + [9]).marked.tolist() == [False] * 19 + [True]


def test_equal_samples_have_no_outliers() -> None:
    assert mark_outliers([5] * 10).count == 0


def test_few_samples_of_a_normal_distribution_are_marked() -> None:
    assert mark_outliers(np.random.default_rng(1).normal(size=10_000)).count < 20


def test_steps_of_a_coarse_clock_around_equal_samples_are_not_marked() -> None:
    assert mark_outliers([5] * 12 + [4, 6] * 4).count == 0
