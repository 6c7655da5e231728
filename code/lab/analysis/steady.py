"""Warm-up: whether the first window of a trial takes longer than a steady one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.estimate import LEVEL, Estimate
from lab.analysis.ratios import ratio_of_medians
from lab.analysis.samples import TooFewSamples

LEAST = 10  # windows of a trial; fewer tell nothing about where it settles


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
