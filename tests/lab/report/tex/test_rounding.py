import pytest

from lab.analysis.estimate import Estimate, Interval
from lab.report.tex.numbers import last_place


@pytest.mark.parametrize(
    ("low", "high", "last"),
    [(1230, 1240, 0), (1200, 1270, 1), (1234.8, 1235.2, 0), (235, 2235, 3), (1235, 1235, 0)],
)
def test_a_number_goes_as_far_as_its_interval(low: float, high: float, last: int) -> None:
    estimate = Estimate((low + high) / 2, Interval(low, high), 10)
    assert last_place(estimate) == last


def test_a_number_without_an_interval_has_three_digits() -> None:
    assert last_place(Estimate(1235, None, 1)) == 1
    assert last_place(Estimate(0, None, 1)) == -2
