import numpy as np
import pytest

from lab.analysis.samples import TooFewSamples
from lab.analysis.steady import find_steady, warm_up_ratio
from lab.analysis.verdict import Verdict, judge


def test_a_slow_start_is_left_out_to_the_window() -> None:
    assert find_steady([20, 15, 12] + [10] * 17).start == 3


def test_equal_windows_are_steady_from_the_first() -> None:
    assert find_steady([0.1] * 20).start == 0


def test_an_oscillation_around_one_value_is_steady() -> None:
    assert find_steady([10, 11] * 10).start == 0


def test_a_series_that_drifts_to_its_end_is_never_steady() -> None:
    assert find_steady(np.arange(20)).start is None


def test_noise_alone_is_seldom_taken_for_a_transient_past_the_middle() -> None:
    random = np.random.default_rng(1)
    assert sum(find_steady(random.normal(size=20)).start is None for _ in range(200)) <= 12


def test_nine_windows_are_too_few() -> None:
    with pytest.raises(TooFewSamples):
        find_steady([1] * 9)


def test_a_first_window_of_twice_the_time_shows_that_warm_up_matters() -> None:
    trials = np.random.default_rng(1).normal(100, 1, (10, 20))
    trials[:, 0] *= 2
    ratio = warm_up_ratio(trials)
    assert ratio.value == pytest.approx(2, abs=0.05)
    assert judge(ratio) is Verdict.MORE


def test_trials_without_a_transient_can_t_tell_that_warm_up_matters() -> None:
    assert judge(warm_up_ratio(np.random.default_rng(2).normal(100, 1, (10, 20)))) is Verdict.CANT_TELL


def test_one_window_per_trial_is_too_few() -> None:
    with pytest.raises(TooFewSamples):
        warm_up_ratio([[1], [1]])
