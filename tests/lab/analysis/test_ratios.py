"""Ratios of medians, verdicts, and arithmetic that is the same on every host."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from lab.analysis import ratios
from lab.analysis.estimate import BadSample, Estimate, Floats, Interval
from lab.analysis.ratios import Verdict, judge, ratio_of_medians, ratios_of_medians, resampled_medians


def test_interval_of_a_ratio_needs_six_samples() -> None:
    assert ratio_of_medians([1] * 5, [1] * 10).interval is None
    assert ratio_of_medians([1] * 6, [1] * 6).interval is not None
    with pytest.raises(BadSample):
        ratio_of_medians([1, 2], [1, 0])


def test_seed_determines_the_interval() -> None:
    samples, base = np.random.default_rng(1).normal(10, 1, (2, 30))
    assert ratio_of_medians(samples, base) == ratio_of_medians(samples, base)
    below, above = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    first, second = (resampled_medians(np.r_[below, above], np.random.default_rng(seed)) for seed in (1, 2))
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("n", [10, 11])
def test_resampled_medians_follow_the_distribution_of_medians_of_resamples(n: int) -> None:
    random = np.random.default_rng(1)
    samples = random.exponential(size=n)
    drawn = np.median(random.choice(samples, (20_000, n)), axis=1)
    quick = resampled_medians(samples, random, 20_000)
    assert stats.ks_2samp(drawn, quick).statistic < 0.02


def test_interval_contains_the_true_ratio_with_its_confidence() -> None:
    random = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        interval = ratio_of_medians(random.normal(20, 1, 10), random.normal(10, 1, 10)).interval
        held += interval is not None and interval.contains(2)
    assert 0.93 <= held / 400 <= 0.99


@pytest.mark.parametrize("points", [4, 16])
@pytest.mark.parametrize(
    "noise",
    [
        lambda random, shape: random.normal(100, 1, shape),
        lambda random, shape: 100 + 3 * (random.random(shape) < 0.3) + random.normal(0, 0.1, shape),
    ],
    ids=["normal", "two humps"],
)
def test_the_best_of_equal_points_is_rarely_judged_better(
    noise: Callable[[np.random.Generator, tuple[int, int]], Floats], points: int
) -> None:
    """At margin 0, the best and the worst chosen by the same samples; a fixed seed."""
    random, wrong, count = np.random.default_rng(5), {min: 0, max: 0}, 2400 // points
    for _ in range(count):
        samples = noise(random, (points, 6))
        found = ratios_of_medians([(each, samples[0]) for each in samples[1:]], resamples=999)
        for pick in wrong:
            chosen = pick(found, key=lambda each: each.value)
            wrong[pick] += judge(chosen) in (Verdict.MORE, Verdict.LESS)
    assert max(wrong.values()) <= 0.05 * count


def test_joint_intervals_are_wider() -> None:
    samples = np.random.default_rng(1).normal(100, 1, (16, 6))
    alone = [ratio_of_medians(each, samples[0]) for each in samples[1:]]
    chosen = ratios_of_medians([(each, samples[0]) for each in samples[1:]])
    assert [each.value for each in chosen] == [each.value for each in alone]
    widths = [
        (one.interval.width, other.interval.width)
        for one, other in zip(chosen, alone, strict=True)
        if one.interval and other.interval
    ]
    assert len(widths) == 15 and all(wide > narrow for wide, narrow in widths)
    assert {each.interval.level for each in chosen if each.interval} == {0.95}


@pytest.mark.parametrize(
    ("low", "high", "margin", "reference", "verdict"),
    [
        (1.01, 1.5, 0, 1, Verdict.MORE),
        (0.5, 0.99, 0, 1, Verdict.LESS),
        (0.9, 1.1, 0, 1, Verdict.CANT_TELL),
        (1.0, 1.1, 0, 1, Verdict.CANT_TELL),
        (1.0, 1.0, 0, 1, Verdict.CANT_TELL),
        (1.02, 1.04, 0.02, 1, Verdict.CANT_TELL),
        (1.02, 1.04, 0.05, 1, Verdict.WITHIN),
        (1.02, 1.04, 0.01, 1.05, Verdict.CANT_TELL),
        (1.02, 1.04, 0.01, 1.06, Verdict.LESS),
    ],
)
def test_verdict_needs_a_whole_interval_on_one_side_of_the_reference_or_inside_its_margin(
    low: float, high: float, margin: float, reference: float, verdict: Verdict
) -> None:
    assert judge(Estimate((low + high) / 2, Interval(low, high), 10), reference, margin) is verdict
    assert judge(Estimate(33.0, None, 1)) is Verdict.CANT_TELL


def test_expected_false_verdicts_sum_the_errors_of_all_intervals() -> None:
    judged = [Estimate(1.0, Interval(0.9, 1.1, level), 6) for level in (0.95, 0.95, 0.99)]
    count, wrong = ratios.false_verdicts([*judged, Estimate(1.0, None, 3)])
    assert count == 3 and wrong == pytest.approx(0.11)


def test_geometric_mean_does_not_depend_on_the_order_and_needs_positive_ratios() -> None:
    values = np.exp(ROWS[:, 0]).tolist()
    assert ratios.geometric_mean(values) == ratios.geometric_mean(values[::-1])
    assert ratios.geometric_mean([4, 9]) == 6
    with pytest.raises(BadSample, match="sample 1 is"):
        ratios.geometric_mean([1, 0])


ROWS = np.random.default_rng(1).normal(size=(40, 9))


def test_products_equal_numpys() -> None:
    assert ratios.dot(ROWS, ROWS[0]) == pytest.approx(ROWS @ ROWS[0], rel=1e-12)
    assert ratios.norm(ROWS) == pytest.approx(np.linalg.norm(ROWS, axis=1), rel=1e-12)
    assert ratios.all_dots(ROWS, ROWS[:7]) == pytest.approx(ROWS @ ROWS[:7].T, rel=1e-12)


def test_logarithms_and_powers_of_two_are_exact() -> None:
    values = [2.0**place for place in range(-30, 63)]
    assert ratios.log2(values) == [float(place) for place in range(-30, 63)]
    assert [ratios.exp2(float(place)) for place in range(-30, 63)] == values
    odd = np.abs(ROWS[0]).tolist()
    assert ratios.log2(odd) == pytest.approx([math.log2(each) for each in odd], rel=4e-16)


def test_ratio_of_few_samples_does_not_affect_the_others() -> None:
    samples = np.random.default_rng(1).normal(100, 1, (3, 6))
    with_few = ratios_of_medians([*((each, samples[0]) for each in samples[1:]), ([1, 2, 3], samples[0])])
    assert [each.interval is not None for each in with_few] == [True, True, False] and with_few[2].n == 3
    assert ratios_of_medians([]) == ()
