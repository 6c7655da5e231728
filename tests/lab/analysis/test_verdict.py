import pytest

from lab.analysis.estimate import Estimate, Interval
from lab.analysis.ratios import Verdict, false_verdicts, judge


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


def test_an_interval_that_crosses_the_margin_can_t_be_told_and_one_inside_it_is_no_difference() -> None:
    estimate = Estimate(1.03, Interval(1.02, 1.04), 10)
    assert judge(estimate) is Verdict.MORE
    assert judge(estimate, margin=0.02) is Verdict.CANT_TELL
    assert judge(estimate, margin=0.05) is Verdict.WITHIN
    assert judge(estimate, reference=1.05, margin=0.01) is Verdict.CANT_TELL
    assert judge(estimate, reference=1.06, margin=0.01) is Verdict.LESS


def test_the_false_verdicts_to_expect_are_the_share_that_every_interval_leaves_out() -> None:
    judged = [Estimate(1.0, Interval(0.9, 1.1, level), 6) for level in (0.95, 0.95, 0.99)]
    count, wrong = false_verdicts([*judged, Estimate(1.0, None, 3)])
    assert count == 3 and wrong == pytest.approx(0.11)
