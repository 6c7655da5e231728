import pytest

from lab.analysis.estimate import Estimate, Interval
from lab.analysis.verdict import Verdict, judge


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.01, 1.5, Verdict.MORE),
        (0.5, 0.99, Verdict.LESS),
        (0.9, 1.1, Verdict.CANT_TELL),
        (1.0, 1.1, Verdict.CANT_TELL),
        (1.0, 1.0, Verdict.CANT_TELL),
    ],
)
def test_only_an_interval_wholly_beyond_one_is_a_verdict(low: float, high: float, verdict: Verdict) -> None:
    assert judge(Estimate((low + high) / 2, Interval(low, high), 10)) is verdict


def test_a_ratio_without_an_interval_can_t_be_told() -> None:
    assert judge(Estimate(33.0, None, 1)) is Verdict.CANT_TELL


def test_a_difference_within_the_margin_can_t_be_told() -> None:
    estimate = Estimate(1.03, Interval(1.02, 1.04), 10)
    assert judge(estimate) is Verdict.MORE
    assert judge(estimate, margin=0.02) is Verdict.CANT_TELL
