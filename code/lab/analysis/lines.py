"""Straight lines through points: one line, or one per piece."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.estimate import LEVEL, Estimate, Floats, Interval, TooFewSamples, check_rows, estimate_mean, fisher
from lab.analysis.ratios import dot, norm


@dataclass(frozen=True)
class Line:
    """y = intercept + slope x; `r_squared` is None where all y are equal."""

    slope: Estimate  # its n counts repetitions, as the intercept's does
    intercept: Estimate
    r_squared: float | None
    residuals: Floats  # repetition by repetition
    n: int  # points

    def at(self, x: ArrayLike) -> Floats:
        return np.asarray(self.intercept.value + self.slope.value * np.asarray(x, dtype=np.float64))


def fit_line(x: ArrayLike, y: ArrayLike) -> Line:
    """Fit a least-squares line to each repetition (a row of y over the x), and return the mean of these lines.

    Estimator: ordinary least squares in every row, Student's interval over the rows' slopes and over their intercepts.
    An effect of one repetition, or dependent errors of neighbouring x, move its line as a whole, so the interval
    includes them. The points of one repetition don't replace repetitions, so a single row has no interval.
    Assumes independent repetitions; holds at 95 % from two of them on, whatever their variances. Source: R. Ibragimov
    and U. K. Mueller, "t-Statistic Based Correlation and Heterogeneity Robust Inference" (2010).
    """
    xs, rows = check_rows(x, y, least=2)
    from_mean = xs - xs.mean()
    spread = float(dot(from_mean, from_mean))
    if spread == 0:
        raise TooFewSamples("a line needs two different x")
    slopes = dot(rows - rows.mean(axis=1, keepdims=True), from_mean) / spread
    slope = estimate_mean(slopes)
    intercept = estimate_mean(rows.mean(axis=1) - slopes * xs.mean())
    residuals = (rows - (intercept.value + slope.value * xs)).reshape(-1)
    ys = rows.reshape(-1)
    total = float(np.square(ys - ys.mean()).sum())
    r_squared = 1 - float(dot(residuals, residuals)) / total if total else None
    return Line(slope, intercept, r_squared, residuals, rows.size)


# A line always fits two points, so a piece has three x.
LEAST = 3
# A difference of BIC beyond this is very strong evidence: R. E. Kass and A. E. Raftery, "Bayes Factors" (1995).
CLEARLY = 10.0
# Two lines have three parameters more than one: a slope, an intercept and a place.
PARAMETERS = 3
# The chance of a false departure over the repetitions.
CHANCE = 0.01
# The least change of some y, as a fraction, that justifies a second line.
MATTERS = 0.01


def find_break(x: ArrayLike, y: ArrayLike) -> Estimate | None:
    """Fit two lines, with or without a step between them; return the place between two x where they break, or None
    unless they fit the rows of y clearly better than one.

    Estimator: least squares on the means over the repetitions, over all places of the break. Clearly better means all
    of three. By BIC, n ln(squares left) + parameters ln(n), two lines win by more than 10 on the means (G. Schwarz,
    1978; Y.-C. Yao, "Estimating the number of change-points via Schwarz' criterion", 1988). As errors of neighbouring x
    depend on each other, or grow with x, BIC alone takes a good part of all straight lines for two; so every
    repetition is compared with the departure from one line in the others, and a one-sided t test over the
    repetitions must find the departure again at 99 %. And at some x the two lines differ from one by more than 1 %.
    The break's interval holds that of every repetition alone and all places that fit the means no worse by an F test
    (G. A. F. Seber and C. J. Wild, Nonlinear Regression, 1989, chapter 9). Assumes independent repetitions, so one
    alone shows nothing; a second break becomes a part of the pieces.
    """
    xs, rows = check_rows(x, y, least=1)
    order = np.argsort(xs, kind="stable")
    xs, rows = xs[order], rows[:, order]
    if len(rows) < 2 or np.unique(xs).size < max(xs.size, 2 * LEAST):
        return None
    breaks = _Breaks.of(xs, rows)
    if not (breaks.matters() and breaks.wins() and _comes_again(xs, rows)):
        return None
    first, last = breaks.not_ruled_out()
    of_rows = [_Breaks.of(xs, row[None, :]).best for row in rows]
    low, high = xs[min(first, *of_rows) - 1], xs[max(last, *of_rows)]
    middle = float(xs[breaks.best - 1] + xs[breaks.best]) / 2
    return Estimate(middle, Interval(float(low), float(high)), len(rows))


@dataclass(frozen=True)
class _Breaks:
    """The means over repetitions, and the sum of squares around two lines for a break before each x."""

    x: Floats
    y: Floats
    left: Floats  # infinite if a piece would have too few x

    @classmethod
    def of(cls, xs: Floats, rows: Floats) -> "_Breaks":
        means = rows.mean(axis=0)
        left = np.full(xs.size, np.inf)
        before, after = _left_of_starts(xs, means), _left_of_starts(xs[::-1], means[::-1])[::-1]
        left[LEAST : 1 - LEAST] = before[LEAST - 1 : -LEAST] + after[LEAST : 1 - LEAST]
        return cls(xs, means, left)

    @property
    def best(self) -> int:
        return int(np.argmin(self.left))

    @property
    def parts(self) -> tuple[slice, slice]:
        return slice(None, self.best), slice(self.best, None)

    def departure(self) -> Floats:
        """Return the difference between two lines and one."""
        two = np.concatenate([_on_line(self.x[part], self.y[part]) for part in self.parts])
        departure: Floats = two - _on_line(self.x, self.y)
        return departure

    def matters(self) -> bool:
        return bool((np.abs(self.departure()) > MATTERS * np.abs(self.y)).any())

    def wins(self) -> bool:
        n, by_one = self.x.size, float(np.square(self.y - _on_line(self.x, self.y)).sum())
        least = max(float(self.left.min()), np.finfo(float).tiny)
        return bool(n * np.log(by_one / least) - PARAMETERS * np.log(n) > CLEARLY)

    def not_ruled_out(self) -> tuple[int, int]:
        """Return the first and the last break that fit no worse than the best."""
        freedom = self.x.size - 2 - PARAMETERS
        allowed = np.flatnonzero(self.left <= self.left.min() * (1 + fisher(LEVEL, freedom) / freedom))
        return int(allowed[0]), int(allowed[-1])


def _comes_again(xs: Floats, rows: Floats) -> bool:
    """Return whether the repetitions share a departure from one line: each along the direction of the others."""
    along = []
    for place, row in enumerate(rows):
        departure = _Breaks.of(xs, np.delete(rows, place, axis=0)).departure()
        length = float(norm(departure))
        along.append(float(dot(departure, row)) / length if length else 0.0)
    interval = estimate_mean(along, 1 - 2 * CHANCE).interval
    return interval is not None and interval.low > 0


def _on_line(xs: Floats, ys: Floats) -> Floats:
    return fit_line(xs, ys).at(xs)


def _left_of_starts(xs: Floats, ys: Floats) -> Floats:
    """Return the squares around a line through the first x, the first two, and so on (B. P. Welford, 1962)."""
    left = np.zeros(xs.size)
    mean_x = mean_y = xx = xy = yy = 0.0
    for n, (x, y) in enumerate(zip(xs.tolist(), ys.tolist(), strict=True), 1):
        from_x, from_y = x - mean_x, y - mean_y
        mean_x, mean_y = mean_x + from_x / n, mean_y + from_y / n
        xx, xy, yy = xx + from_x * (x - mean_x), xy + from_x * (y - mean_y), yy + from_y * (y - mean_y)
        left[n - 1] = max(yy - xy * xy / xx, 0.0) if xx else 0.0
    return left
