import numpy as np
import pytest

from lab.analysis.estimate import Interval
from lab.analysis.rounds import LARGEST_SHARE, until_completed, without_way_back


def test_half_of_the_trip_is_taken_off_each_time() -> None:
    found = without_way_back(1000, [100.0] * 6, [8.0] * 6)
    assert found.share.value == 0.04
    assert found.rate is not None and found.rate.value == pytest.approx(1000 / 96)


def test_the_interval_goes_from_nothing_taken_off_to_the_whole_trip() -> None:
    rate = without_way_back(1000, [100.0] * 6, [8.0] * 6).rate
    assert rate is not None and rate.interval == Interval(1000 / 100, 1000 / 92)


def test_the_interval_holds_the_truth_however_the_trip_is_shared() -> None:
    random = np.random.default_rng(1)
    data = random.normal(200.0, 0.5, 10)
    for back in (0.0, 5.0, 10.0):
        rate = without_way_back(1000, data + back, [10.0] * 10).rate
        assert rate is not None and rate.interval is not None and rate.interval.contains(1000 / 200)


@pytest.mark.parametrize("trip", [2 * LARGEST_SHARE * 100 + 1, 200, 500])
def test_a_correction_that_is_a_large_part_or_more_than_all_of_the_time_is_refused(trip: float) -> None:
    assert without_way_back(1000, [100.0] * 6, [trip] * 6).rate is None


def test_a_share_that_may_be_too_large_is_refused() -> None:
    assert without_way_back(1000, [100.0] * 6, [19.0] * 6).rate is not None
    assert without_way_back(1000, [100.0] * 6, [19.0, 19, 19, 19, 19, 21]).rate is None


def test_too_few_repetitions_leave_no_interval() -> None:
    rate = without_way_back(1000, [100.0] * 5, [8.0] * 5).rate
    assert rate is not None and rate.interval is None and rate.n == 5


def test_what_comes_after_the_last_completion_is_taken_off() -> None:
    found = until_completed(1000, [100.0] * 6, [92.0] * 6, [7.0] * 6)
    assert found.share.value == pytest.approx(0.08)
    assert found.rate is not None and found.rate.value == pytest.approx(1000 / 92)
    assert found.rate.interval == Interval(1000 / 100, 1000 / 85)


@pytest.mark.parametrize(("completed", "trip"), [(89.0, 7.0), (99.0, 21.0), (99.0, 200.0)])
def test_a_completion_long_before_the_answer_or_a_long_trip_is_refused(completed: float, trip: float) -> None:
    assert until_completed(1000, [100.0] * 6, [completed] * 6, [trip] * 6).rate is None
