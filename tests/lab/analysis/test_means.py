import pytest

from lab.analysis.means import geometric_mean, mean_rate
from lab.analysis.samples import BadSample


def test_the_mean_rate_of_halves_at_30_and_60_is_40() -> None:
    assert mean_rate([60, 60], [2, 1]) == 40


def test_ratios_of_2_and_one_half_cancel_out() -> None:
    assert geometric_mean([2, 0.5]) == pytest.approx(1)


def test_a_ratio_of_zero_has_no_geometric_mean() -> None:
    with pytest.raises(BadSample) as caught:
        geometric_mean([1, 0])
    assert caught.value.index == 1


def test_a_duration_of_zero_has_no_rate() -> None:
    with pytest.raises(BadSample):
        mean_rate([1, 1], [1, 0])
