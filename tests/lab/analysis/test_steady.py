import numpy as np
import pytest

from lab.analysis.estimate import TooFewSamples
from lab.analysis.ratios import Verdict, judge
from lab.analysis.rounds import warm_up_ratio


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
