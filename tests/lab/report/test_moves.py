import pytest

from lab.report.moves import is_level


@pytest.mark.parametrize(
    ("rates", "level"),
    [([100.0], True), ([100, 109, 92], True), ([100, 111], False), ([100, 90], False), ([1, 100, 100], False)],
)
def test_a_curve_is_level_within_a_tenth_of_its_first_rate(rates: list[float], *, level: bool) -> None:
    assert is_level(rates) is level
