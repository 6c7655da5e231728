"""Knees and steps: where a line changes its slope, with an interval; and where a curve jumps between two sizes."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.estimate import LEVEL, Estimate, Floats, Interval, TooFewSamples, check_pairs, fisher
from lab.analysis.ratios import all_dots, dot, norm

# A knee needs two x on either side of it.
LEAST_X = 5
RESAMPLES = 1_999
# The first search has COARSE candidates between neighbouring x, at most MOST; each of LOOKS finer searches has FINE
# candidates among the places that are not ruled out.
COARSE, MOST, FINE, LOOKS = 16, 513, 257, 3
# Smaller parts of the y's sum of squares, and smaller differences of gains, are rounding errors.
ROUNDING, GAIN_ROUNDING = 1e-20, 1e-12
# A time steps up if it grows by more than STEP, or by NEAR_STEP between two sizes within NEAR of each other, where the
# cost of a byte cannot show. A throughput jumps if a message takes less time than one of the previous size.
STEP, NEAR_STEP, NEAR = 1.2, 1.05, 1.01
JUMP = 1.05


def find_steps(times: Mapping[int, float]) -> dict[int, float]:
    """Return the sizes at which a time steps up, each with the factor over the previous size.

    A growth is a step if the next larger size does not continue it: if that grows by less than half as much, in total
    and per byte. The growth up to the last size does not count, since its continuation was not measured.
    """
    steps = {}
    for small, large in pairwise(sorted(times)):
        factor = times[large] / times[small]
        is_near = large <= NEAR * small
        if factor > NEAR_STEP if is_near else factor > STEP and _ends_there(times, small, large):
            steps[large] = factor
    return steps


def _ends_there(times: Mapping[int, float], small: int, large: int) -> bool:
    after = min((size for size in times if size > NEAR * large), default=None)  # not a near size
    if after is None:
        return False
    is_less = times[after] / times[large] - 1 < (times[large] / times[small] - 1) / 2
    of_byte = (times[large] - times[small]) / (large - small)
    return is_less and abs(times[after] - times[large]) / (after - large) < of_byte / 2


def find_jumps(rates: Mapping[int, float]) -> dict[int, float]:
    """Return the sizes at which a throughput jumps, each with the factor over the previous size."""
    growth = {(small, large): rates[large] / rates[small] for small, large in pairwise(sorted(rates))}
    return {large: factor for (small, large), factor in growth.items() if factor > JUMP * large / small}


def find_knee(x: ArrayLike, y: ArrayLike, level: float = LEVEL) -> Estimate | None:
    """Find the knee of a continuous line with two slopes; None if the data don't support one.

    Estimator: least squares over all places of the knee (D. J. Hudson, 1966; V. M. R. Muggeo, "Estimating regression
    models with unknown break-points", 2003). The interval holds all places that fit no worse by an F test (G. A. F.
    Seber and C. J. Wild, Nonlinear Regression, 1989, chapter 9). Supported means: a straight line with normal noise
    bends as sharply at its best place in less than 1 - level of the cases (simulated, as the place isn't known
    beforehand: R. B. Davies, 1987), and a parabola does not fit better by BIC. Assumes independent errors of one
    variance; a second knee, or a jump, appears as one knee.
    """
    points = _Points.of(*check_pairs(x, y, least=LEAST_X))
    places = points.places()
    p_value = _chance_of_straight_line(points, places, np.random.default_rng(1))
    if points.is_straight or p_value > 1 - level or _parabola_is_better(points, places):
        return None
    at, low, high = _locate(points, places, level)
    return Estimate(at, Interval(low, high, level), points.n)


@dataclass(frozen=True)
class _Points:
    """The mean y at each x, weighted so that least squares on the means is least squares on all samples."""

    x: Floats
    root_weight: Floats
    y: Floats  # times root_weight
    within: float  # sum of squares around the means, which no curve explains
    n: int

    @classmethod
    def of(cls, xs: Floats, ys: Floats) -> "_Points":
        x, inverse, counts = np.unique(xs, return_inverse=True, return_counts=True)
        if x.size < LEAST_X:
            raise TooFewSamples(f"a knee needs {LEAST_X} different x")
        means = np.bincount(inverse, weights=ys) / counts
        within = float(np.square(ys - means[inverse]).sum())
        return cls(x, np.sqrt(counts), np.sqrt(counts) * means, within, ys.size)

    @property
    def left(self) -> float:
        """The sum of squares around a straight line."""
        return float(np.square(self.off_line(self.y)).sum()) + self.within

    @property
    def is_straight(self) -> bool:
        return self.left <= ROUNDING * float(dot(self.y, self.y))

    def places(self) -> Floats:
        """Return candidate places of a knee, evenly among the x, since sizes are often doubled."""
        last = self.x.size - 2
        among = np.linspace(1, last, min((last - 1) * COARSE + 1, MOST))
        return np.interp(among, np.arange(self.x.size), self.x)

    def off_line(self, rows: Floats) -> Floats:
        """Return the residuals of each row from its straight line."""
        centred = (self.x - self.x.mean()) / np.ptp(self.x)
        flat = self.root_weight / norm(self.root_weight)
        tilted = _without(self.root_weight * centred, flat)
        return _without(_without(rows, flat), tilted / norm(tilted))

    def bends(self, curves: Floats) -> Floats:
        """Return the unit vectors in which each curve (a row over x) departs from a straight line."""
        rest = self.off_line(curves * self.root_weight)
        unit: Floats = rest / norm(rest)[:, None]
        return unit

    def hinges(self, places: Floats) -> Floats:
        return self.bends(np.maximum(self.x - places[:, None], 0) / np.ptp(self.x))

    def gains(self, places: Floats) -> Floats:
        """Return the sum of squares that a knee at each place explains beyond a straight line."""
        return np.square(dot(self.hinges(places), self.y))


def _without(rows: Floats, direction: Floats) -> Floats:
    """Remove from each row its part along a unit vector."""
    return rows - dot(rows, direction)[..., None] * direction


def _chance_of_straight_line(points: _Points, places: Floats, random: np.random.Generator) -> float:
    noise = random.standard_normal((RESAMPLES, points.x.size))
    within = 2 * random.standard_gamma((points.n - points.x.size) / 2, RESAMPLES)  # chi-square, 0 for one sample an x
    explained = np.square(all_dots(noise, points.hinges(places))).max(axis=1)
    simulated = explained / (np.square(points.off_line(noise)).sum(axis=1) + within)
    found = points.gains(places).max() / max(points.left, np.finfo(float).tiny)
    return float((1 + (simulated >= found).sum()) / (1 + RESAMPLES))


def _parabola_is_better(points: _Points, places: Floats) -> bool:
    """Compare by BIC, n ln(left) + parameters ln(n): a knee has four parameters, a parabola three."""
    centred = (points.x - points.x.mean()) / np.ptp(points.x)
    by_parabola = float(np.square(dot(points.bends(np.square(centred)[None, :]), points.y)).max())
    left_by_knee = points.left - float(points.gains(places).max())
    return points.left - by_parabola <= left_by_knee * float(points.n ** (1 / points.n))


def _locate(points: _Points, places: Floats, level: float) -> tuple[float, float, float]:
    """Return the best place, and the first and last that are not ruled out, widened by a step of the last search."""
    for _ in range(LOOKS):
        first, last = _not_ruled_out(points, places, level)
        low, high = places[max(first - 1, 0)], places[min(last + 1, places.size - 1)]
        places = np.linspace(low, high, FINE)
    first, last = _not_ruled_out(points, places, level)
    best = places[np.argmax(points.gains(places))]
    return float(best), float(places[max(first - 1, 0)]), float(places[min(last + 1, FINE - 1)])


def _not_ruled_out(points: _Points, places: Floats, level: float) -> tuple[int, int]:
    gains = points.gains(places)
    freedom = points.n - 4
    noise = max(points.left - gains.max(), 0.0) / freedom
    least = gains.max() * (1 - GAIN_ROUNDING) - noise * fisher(level, freedom)
    allowed = np.flatnonzero(gains >= least)
    return int(allowed[0]), int(allowed[-1])
