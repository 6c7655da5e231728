"""The stop rule: whether a series is long enough. A rule that gives up says "not reached", which is a result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.samples import Floats, check_samples


class State(Enum):
    """The answer of a rule about the series so far."""

    GO_ON = "go on"
    REACHED = "reached"
    NOT_REACHED = "not reached"


@dataclass(frozen=True)
class Decision:
    """The answer after n samples; the rule compares `spread`, a fraction or None if unknown, with its target."""

    state: State
    n: int
    spread: float | None = None


@dataclass(frozen=True)
class UntilStable:
    """Stops when the largest and the least of the last `window` samples differ by at most `target` times their median,
    or at `cap` samples.

    Estimator: (max - min) / median of the window. Assumes nothing, and promises little: a slow drift passes where it
    moves less than the target in one window. Source: the exercise behind the until-stable experiment.
    """

    target: float
    window: int
    cap: int

    def decide(self, series: ArrayLike) -> Decision:
        samples = np.asarray(series, dtype=np.float64)
        spread = _spread(check_samples(samples[-self.window :])) if samples.size >= self.window else None
        if spread is not None and spread <= self.target:
            return Decision(State.REACHED, samples.size, spread)
        return Decision(State.NOT_REACHED if samples.size >= self.cap else State.GO_ON, samples.size, spread)


def stop_at(rule: UntilStable, series: ArrayLike) -> Decision:
    """The decision at the first sample where the rule stops; GO_ON if the series ends before."""
    samples = check_samples(series)
    decision = Decision(State.GO_ON, 0)
    for n in range(1, samples.size + 1):
        decision = rule.decide(samples[:n])
        if decision.state is not State.GO_ON:
            break
    return decision


def _spread(window: Floats) -> float:
    width, median = float(np.ptp(window)), float(np.median(window))
    return width / abs(median) if median else float("inf") if width else 0.0
