"""Steady state: from which window on a series has settled, and whether its start matters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.estimate import LEVEL, Estimate
from lab.analysis.ratios import ratio_of_medians
from lab.analysis.samples import Floats, TooFewSamples, check_samples

# Fewer windows tell nothing about where a series settles.
LEAST = 10
# Parts of the whole sum of squares below this are rounding: windows that are all equal have no spread.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Steady:
    """Steady from window `start` on, of `n`; None where it had not settled before the middle."""

    start: int | None
    n: int


def find_steady(windows: ArrayLike) -> Steady:
    """The first window of the steady state.

    Estimator: MSER, the start in the first half that gives the mean of the rest the least standard error. Assumes one
    transient at the start; where the middle is the best start, the series is still moving.
    Source: K. P. White, "An effective truncation heuristic for bias reduction in simulation output" (1997);
    R. Pasupathy and B. Schmeiser, "The initial transient in steady-state point estimation" (2010).
    """
    series = check_samples(windows, least=LEAST)
    middle = series.size // 2
    start = int(np.argmin(_squared_errors(series)[: middle + 1]))
    return Steady(start if start < middle else None, series.size)


def warm_up_ratio(trials: ArrayLike, level: float = LEVEL, seed: int = 1) -> Estimate:
    """The first window as a multiple of the steady value: a row per repetition, a column per window.

    Estimator: the ratio of medians over repetitions, of the first window to the median of each trial's second half.
    Assumes independent repetitions that are steady by the middle. Judge it against 1: can't tell means that
    the data show no effect of warm-up.
    """
    rows = np.asarray(trials, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise TooFewSamples("warm-up needs two windows in each repetition", needed=2, found=rows.shape[-1])
    settled = np.median(rows[:, rows.shape[1] // 2 :], axis=1)
    return ratio_of_medians(rows[:, 0], settled, level, seed)


def _squared_errors(series: Floats) -> Floats:
    """The squared standard error of the mean of the series from each window on.

    Sums from the end give all of them in linear time; the mean is taken off first, against cancellation.
    """
    centred = series - series.mean()
    left = np.arange(series.size, 0, -1)
    sums, squares = np.cumsum(centred[::-1])[::-1], np.cumsum(np.square(centred[::-1]))[::-1]
    spreads = squares - np.square(sums) / left
    errors: Floats = np.where(spreads > ROUNDING * squares[0], spreads, 0) / np.square(left)
    return errors
