import pytest

from lab.analysis.estimate import Estimate, Interval
from lab.report.tex.rounding import finest_place, last_place


@pytest.mark.parametrize(
    ("low", "high", "last", "finest"),
    [(1230, 1240, 0, -1), (1200, 1270, 1, 0), (1234.8, 1235.2, 0, -2), (235, 2235, 3, 2), (1235, 1235, 0, None)],
)
def test_a_number_goes_as_far_as_its_interval(low: float, high: float, last: int, finest: int | None) -> None:
    estimate = Estimate((low + high) / 2, Interval(low, high), 10)
    assert (last_place(estimate), finest_place(estimate)) == (last, finest)


def test_a_number_without_an_interval_has_three_digits() -> None:
    assert last_place(Estimate(1235, None, 1)) == finest_place(Estimate(1235, None, 1)) == 1
    assert last_place(Estimate(0, None, 1)) == -2
