"""Stop rules: whether a series is long enough. A rule that gives up says "not reached", which is a result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.estimate import LEVEL
from lab.analysis.samples import Floats, check_samples
from lab.analysis.summary import estimate_median


class State(Enum):
    """What a rule says of the series so far."""

    GO_ON = "go on"
    REACHED = "reached"
    NOT_REACHED = "not reached"


@dataclass(frozen=True)
class Decision:
    """After n samples; `spread` is what the rule compares with its target, as a fraction, None if not known yet."""

    state: State
    n: int
    spread: float | None = None


class Rule(Protocol):
    """Decides on the series so far; pure, so that a record can be judged again by another rule."""

    def decide(self, series: ArrayLike) -> Decision: ...


@dataclass(frozen=True)
class FixedCount:
    """Stops after a number of samples that was chosen before the first: no bias from looking."""

    count: int

    def decide(self, series: ArrayLike) -> Decision:
        n = np.size(series)
        return Decision(State.REACHED if n >= self.count else State.GO_ON, n)


@dataclass(frozen=True)
class UntilNarrow:
    """Stops when the median's interval is narrower than `target` times the median, or at `cap` samples.

    Assumes independent samples. Looking after each sample makes the last interval somewhat too narrow.
    Source: Hoefler & Belli, on the number of measurements.
    """

    target: float
    cap: int
    level: float = LEVEL

    def decide(self, series: ArrayLike) -> Decision:
        n = np.size(series)
        if n == 0:
            return Decision(State.GO_ON, 0)
        median = estimate_median(series, self.level)
        spread = _fraction(median.interval.width, median.value) if median.interval else None
        return _decide(n, spread, self.target, self.cap)


@dataclass(frozen=True)
class UntilStable:
    """Stops when the last `window` samples lie within `target` times their median, or at `cap` samples.

    Estimator: (max - min) / median of the window. Assumes nothing, and promises little: a slow drift passes where it
    moves less than the target in one window. Source: the exercise behind the until-stable experiment.
    """

    target: float
    window: int
    cap: int

    def decide(self, series: ArrayLike) -> Decision:
        samples = np.asarray(series, dtype=np.float64)
        spread = _spread(check_samples(samples[-self.window :])) if samples.size >= self.window else None
        return _decide(samples.size, spread, self.target, self.cap)


def stop_at(rule: Rule, series: ArrayLike) -> Decision:
    """Where the rule would have stopped, asked after every sample; GO_ON where the series ended first."""
    samples = check_samples(series)
    decision = Decision(State.GO_ON, 0)
    for n in range(1, samples.size + 1):
        decision = rule.decide(samples[:n])
        if decision.state is not State.GO_ON:
            break
    return decision


def _decide(n: int, spread: float | None, target: float, cap: int) -> Decision:
    if spread is not None and spread <= target:
        return Decision(State.REACHED, n, spread)
    return Decision(State.NOT_REACHED if n >= cap else State.GO_ON, n, spread)


def _spread(window: Floats) -> float:
    return _fraction(float(np.ptp(window)), float(np.median(window)))


def _fraction(width: float, median: float) -> float:
    return width / abs(median) if median else float("inf") if width else 0.0
