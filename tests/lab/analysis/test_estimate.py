import pytest

from lab.analysis.estimate import Estimate, Interval, reciprocal


def test_both_ends_belong_to_an_interval() -> None:
    interval = Interval(1.0, 2.0)
    assert interval.contains(1.0) and interval.contains(2.0)
    assert not interval.contains(0.999) and not interval.contains(2.001)


@pytest.mark.parametrize(("low", "high", "expected"), [(2.0, 3.0, True), (2.1, 3.0, False), (0.0, 0.9, False)])
def test_intervals_overlap_where_they_share_a_value(low: float, high: float, expected: bool) -> None:  # noqa: FBT001
    assert Interval(1.0, 2.0).overlaps(Interval(low, high)) is expected


def test_the_reciprocal_of_a_slope_swaps_the_ends_of_its_interval() -> None:
    rate = reciprocal(Estimate(0.25, Interval(0.2, 0.5), 10))
    assert rate == Estimate(4.0, Interval(2.0, 5.0), 10)


def test_an_interval_that_holds_zero_has_no_reciprocal() -> None:
    assert reciprocal(Estimate(0.25, Interval(-0.5, 0.5), 10)).interval is None
