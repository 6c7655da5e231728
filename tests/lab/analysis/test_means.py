import pytest

from lab.analysis.estimate import BadSample
from lab.analysis.ratios import geometric_mean


def test_ratios_of_2_and_one_half_cancel_out() -> None:
    assert geometric_mean([2, 0.5]) == pytest.approx(1)


def test_a_ratio_of_zero_has_no_geometric_mean() -> None:
    with pytest.raises(BadSample) as caught:
        geometric_mean([1, 0])
    assert caught.value.index == 1
