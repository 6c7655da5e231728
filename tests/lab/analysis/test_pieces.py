import numpy as np
import pytest

from lab.analysis.estimate import Floats
from lab.analysis.lines import Pieces, find_pieces

STEPS = np.arange(1, 135) * 4000.0
DOUBLED = 2.0 ** np.arange(21)
BREAK = 262_000.0


def stepped(step: float = 700e3, below: float = 6.8, above: float = 4.3) -> Floats:
    """As MPI over verbs: at a size the time falls, and a byte costs less from there on."""
    return np.where(STEPS < BREAK, 16e3 + below * STEPS, 16e3 + below * BREAK - step + above * (STEPS - BREAK))


def repeated(truth: Floats, repetitions: int, seed: int = 1, noise: float = 0.01) -> Floats:
    random = np.random.default_rng(seed)
    own = 1 + 0.005 * random.normal(size=(repetitions, 1))
    return truth * (own + noise * random.normal(size=(repetitions, truth.size)))


@pytest.mark.parametrize("repetitions", [2, 3, 6, 10])
def test_a_step_makes_two_lines_each_with_its_slope_and_intercept(repetitions: int) -> None:
    found = find_pieces(STEPS, repeated(stepped(), repetitions, noise=0.002))
    assert found is not None and found.at.interval is not None
    assert (found.below.high, found.above.low) == (260_000, 264_000)
    assert found.at.interval.contains(BREAK) and found.at.n == repetitions
    for line, slope in ((found.below, 6.8), (found.above, 4.3)):
        assert line.slope.interval is not None and line.slope.interval.contains(slope)


def test_a_bend_without_a_step_is_two_lines_too() -> None:
    assert find_pieces(STEPS, repeated(stepped(step=0), 6, noise=0.002)) is not None


def test_the_order_of_the_sizes_does_not_matter() -> None:
    rows, turned = repeated(stepped(), 6), np.random.default_rng(1).permutation(STEPS.size)
    one, other = find_pieces(STEPS, rows), find_pieces(STEPS[turned], rows[:, turned])
    assert isinstance(one, Pieces) and isinstance(other, Pieces)
    assert (one.at, one.below.slope, one.above.intercept) == (other.at, other.below.slope, other.above.intercept)


def test_a_line_without_noise_is_one_line() -> None:
    assert find_pieces(STEPS, np.tile(30e3 + 0.8 * STEPS, (6, 1))) is None


def test_what_changes_no_time_by_a_hundredth_needs_no_second_line() -> None:
    truth = 30e3 + 0.8 * STEPS
    assert find_pieces(STEPS, repeated(np.where(STEPS < BREAK, truth, truth * 1.001), 6, noise=1e-5)) is None
    assert find_pieces(STEPS, repeated(np.where(STEPS < BREAK, truth, truth * 1.01), 6, noise=1e-5)) is not None


def test_a_few_odd_sizes_break_no_line() -> None:
    truth = 30e3 + 0.8 * STEPS
    assert find_pieces(STEPS, repeated(np.where(STEPS % 100_000 == 0, truth * 1.5, truth), 6, noise=1e-5)) is None


def test_one_repetition_or_too_few_sizes_cannot_tell_a_break_from_noise() -> None:
    assert find_pieces(STEPS, stepped()) is None
    assert find_pieces([1, 2, 3, 4, 5], [[1, 2, 3, 9, 9]] * 6) is None


def alike(random: np.random.Generator, shape: tuple[int, int]) -> Floats:
    noise = random.normal(size=shape)
    for place in range(1, shape[1]):
        noise[:, place] = 0.85 * noise[:, place - 1] + np.sqrt(1 - 0.85**2) * noise[:, place]
    return noise


@pytest.mark.parametrize("repetitions", [3, 10])
@pytest.mark.parametrize("noise", ["of one size", "that grows with the time", "that neighbours share"])
@pytest.mark.parametrize("x", [STEPS[::5], DOUBLED], ids=["steps", "doubled"])
def test_a_straight_line_is_hardly_ever_taken_for_two(x: Floats, noise: str, repetitions: int) -> None:
    random = np.random.default_rng(1)
    truth, found = 30e3 + 0.8 * x, 0
    for _ in range(100):
        errors = alike(random, (repetitions, x.size)) if "share" in noise else random.normal(size=(repetitions, x.size))
        spread = 300.0 if "one size" in noise else 0.01 * truth
        rows = truth * (1 + 0.005 * random.normal(size=(repetitions, 1))) + spread * errors
        found += find_pieces(x, rows) is not None
    assert found <= 5


def test_the_interval_of_the_break_holds_it() -> None:
    found = [find_pieces(STEPS, repeated(stepped(step=90e3), 6, seed, noise=0.03)) for seed in range(60)]
    held = [each.at.interval is not None and each.at.interval.contains(BREAK) for each in found if each]
    assert len(held) >= 50 and sum(held) >= 0.95 * len(held)
