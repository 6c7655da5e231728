from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from lab.analysis.estimate import BadSample, Floats
from lab.analysis.ratios import Verdict, judge, ratio_of_medians, ratios_of_medians, resampled_medians


def test_the_ratio_is_that_of_the_medians() -> None:
    assert ratio_of_medians([2, 4, 90], [1, 2, 3]).value == 2


def test_below_six_samples_a_ratio_has_no_interval() -> None:
    assert ratio_of_medians([1] * 5, [1] * 10).interval is None
    assert ratio_of_medians([1] * 6, [1] * 6).interval is not None


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    samples, base = np.random.default_rng(1).normal(10, 1, (2, 30))
    assert ratio_of_medians(samples, base, seed=7) == ratio_of_medians(samples, base, seed=7)
    below, above = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    one, other = (resampled_medians(np.r_[below, above], np.random.default_rng(seed)) for seed in (1, 2))
    assert not np.array_equal(one, other)


def test_a_base_of_zero_is_an_error() -> None:
    with pytest.raises(BadSample):
        ratio_of_medians([1, 2], [1, 0])


@pytest.mark.parametrize("n", [10, 11])
def test_resampled_medians_are_distributed_like_medians_of_resamples(n: int) -> None:
    random = np.random.default_rng(1)
    samples = random.exponential(size=n)
    drawn = np.median(random.choice(samples, (20_000, n)), axis=1)
    quick = resampled_medians(samples, random, 20_000)
    assert stats.ks_2samp(drawn, quick).statistic < 0.02


def test_the_interval_holds_the_true_ratio_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        interval = ratio_of_medians(random.normal(20, 1, 10), random.normal(10, 1, 10)).interval
        held += interval is not None and interval.contains(2)
    assert 0.93 <= held / 400 <= 0.99


@pytest.mark.parametrize("points", [4, 6, 16])
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


def test_a_chosen_ratio_has_a_wider_interval_than_the_same_ratio_alone() -> None:
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


def test_of_many_ratios_those_with_few_samples_have_no_interval_and_do_not_matter() -> None:
    samples = np.random.default_rng(1).normal(100, 1, (3, 6))
    pairs = [(each, samples[0]) for each in samples[1:]]
    with_few = ratios_of_medians([*pairs, ([1, 2, 3], samples[0])])
    assert with_few[2].interval is None and with_few[2].n == 3
    assert [each.interval is not None for each in with_few[:2]] == [True, True]
    assert ratios_of_medians([]) == ()
    with pytest.raises(BadSample):
        ratios_of_medians([([1], [0])])


def test_points_that_hold_the_same_values_are_equal_without_a_doubt() -> None:
    (ratio,) = ratios_of_medians([([7, 7, 8, 8, 9, 9], [7, 7, 8, 8, 9, 9])])
    assert ratio.interval is not None and (ratio.interval.low, ratio.interval.high) == (1, 1)
