"""Lines through times, in one piece or two."""

import numpy as np
import pytest
from scipy import stats

from lab.analysis.estimate import Floats, TooFewSamples
from lab.analysis.lines import find_break, fit_line

TRIES = 1_000


def test_lines_equal_scipys_and_their_interval_is_students() -> None:
    random = np.random.default_rng(1)
    x = np.arange(20.0)
    rows = 3 + 2 * x + random.normal(size=(7, 20))
    line, known = fit_line(x, rows), [stats.linregress(x, row) for row in rows]
    for found, values in ((line.slope, [k.slope for k in known]), (line.intercept, [k.intercept for k in known])):
        assert found.interval is not None and found.n == 7
        assert found.value == pytest.approx(np.mean(values))
        low, high = stats.t.interval(0.95, 6, np.mean(values), stats.sem(values))
        assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert line.r_squared == pytest.approx(stats.linregress(np.tile(x, 7), rows.reshape(-1)).rvalue ** 2)


def alike(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Noise that is correlated between sizes, like the residuals of real curves."""
    noise = random.normal(size=shape)
    for place in range(1, shape[1]):
        noise[:, place] = 0.85 * noise[:, place - 1] + np.sqrt(1 - 0.85**2) * noise[:, place]
    return noise


@pytest.mark.parametrize("repetitions", [2, 6, 10])
@pytest.mark.parametrize("between", [0.0, 0.01])
def test_intervals_contain_the_truth_with_their_confidence(between: float, repetitions: int) -> None:
    random = np.random.default_rng(1)
    x, held = np.arange(1, 22) * 4000.0, np.zeros(2)
    truth = 30_000 + 0.8 * x
    for _ in range(TRIES):
        level = 1 + between * random.normal(size=(repetitions, 1))
        line = fit_line(x, truth * (level + 0.002 * alike(random, (repetitions, x.size))))
        pairs = ((line.slope, 0.8), (line.intercept, 30_000))
        held += [part.interval is not None and part.interval.contains(true) for part, true in pairs]
    assert (held / TRIES > 0.93).all() and (held / TRIES < 0.97).all(), held / TRIES


def test_single_repetition_has_a_line_without_an_interval() -> None:
    line = fit_line(np.arange(1000.0), 10 * np.arange(1000.0))
    assert (line.slope.interval, line.slope.n, line.n) == (None, 1, 1000)
    assert line.slope.value == pytest.approx(10)


@pytest.mark.parametrize(("x", "y"), [([1, 2, 3], [[1, 2], [3, 4], [5, 6]]), ([5, 5, 5], [1, 2, 3])])
def test_rows_of_another_length_and_points_at_one_x_are_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(TooFewSamples):
        fit_line(x, y)


def test_equal_y_have_no_r_squared() -> None:
    assert fit_line([1, 2, 3], [4, 4, 4]).r_squared is None


STEPS = np.arange(1, 135) * 4000.0
DOUBLED = 2.0 ** np.arange(21)
BREAK = 262_000.0


def stepped(step: float = 700e3, below: float = 6.8, above: float = 4.3) -> Floats:
    """As with MPI over verbs: at a size the time falls, and from there on a byte costs less."""
    return np.where(STEPS < BREAK, 16e3 + below * STEPS, 16e3 + below * BREAK - step + above * (STEPS - BREAK))


def repeated(truth: Floats, repetitions: int, seed: int = 1, noise: float = 0.01) -> Floats:
    random = np.random.default_rng(seed)
    level = 1 + 0.005 * random.normal(size=(repetitions, 1))
    return truth * (level + noise * random.normal(size=(repetitions, truth.size)))


def test_line_without_noise_is_one_line() -> None:
    assert find_break(STEPS, np.tile(30e3 + 0.8 * STEPS, (6, 1))) is None


def test_second_line_must_change_a_time_by_a_hundredth() -> None:
    truth = 30e3 + 0.8 * STEPS
    assert find_break(STEPS, repeated(np.where(STEPS < BREAK, truth, truth * 1.001), 6, noise=1e-5)) is None
    assert find_break(STEPS, repeated(np.where(STEPS < BREAK, truth, truth * 1.01), 6, noise=1e-5)) is not None


def test_outlying_sizes_do_not_break_a_line() -> None:
    truth = 30e3 + 0.8 * STEPS
    assert find_break(STEPS, repeated(np.where(STEPS % 100_000 == 0, truth * 1.5, truth), 6, noise=1e-5)) is None


def test_break_needs_two_repetitions_and_six_sizes() -> None:
    assert find_break(STEPS, stepped()) is None
    assert find_break([1, 2, 3, 4, 5], [[1, 2, 3, 9, 9]] * 6) is None


@pytest.mark.parametrize("repetitions", [3, 10])
@pytest.mark.parametrize("noise", ["of one size", "that grows with the time", "that neighbours share"])
@pytest.mark.parametrize("x", [STEPS[::5], DOUBLED], ids=["steps", "doubled"])
def test_straight_line_is_rarely_split(x: Floats, noise: str, repetitions: int) -> None:
    random = np.random.default_rng(1)
    truth, found = 30e3 + 0.8 * x, 0
    for _ in range(100):
        errors = alike(random, (repetitions, x.size)) if "share" in noise else random.normal(size=(repetitions, x.size))
        spread = 300.0 if "one size" in noise else 0.01 * truth
        rows = truth * (1 + 0.005 * random.normal(size=(repetitions, 1))) + spread * errors
        found += find_break(x, rows) is not None
    assert found <= 5


def test_interval_contains_the_break() -> None:
    found = [find_break(STEPS, repeated(stepped(step=90e3), 6, seed, noise=0.03)) for seed in range(60)]
    held = [place.interval is not None and place.interval.contains(BREAK) for place in found if place]
    assert len(held) >= 50 and sum(held) >= 0.95 * len(held)
