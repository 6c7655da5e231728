"""Rules that stop a series of rounds, and the corrections of its rates."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.estimate import Estimate, Interval, TooFewSamples, check_samples, estimate_median
from lab.analysis.ratios import ratio_of_medians


def until_stable(series: ArrayLike, target: float, window: int, cap: int) -> tuple[int, bool | None]:
    """Return the number of samples at which a series stops, and whether it is stable there; None if it ends before.

    It stops when the largest and the least of the last `window` samples differ by at most `target` times their median,
    or at `cap` samples. Estimator: (max - min) / median of the window. Assumes nothing, and promises little: a slow
    drift passes if it moves less than the target in one window. Source: the exercise behind the until-stable
    experiment.
    """
    samples = check_samples(series)
    for n in range(1, samples.size + 1):
        width, middle = (float(of(samples[max(n - window, 0) : n])) for of in (np.ptp, np.median))
        spread = width / abs(middle) if middle else float("inf") if width else 0.0
        if n >= window and spread <= target:
            return n, True
        if n >= cap:
            return n, False
    return samples.size, None


LEAST = 10  # windows of a trial; fewer don't show when it settles


def warm_up_ratio(trials: ArrayLike) -> Estimate:
    """Estimate the first window over the steady value: a row per repetition, a column per window.

    Estimator: the ratio of medians over repetitions, of the first window to the median of each trial's second half.
    Assumes independent repetitions that are steady by the middle. Judge it against 1: CANT_TELL means that the
    data show no effect of warm-up.
    """
    rows = np.asarray(trials, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise TooFewSamples("warm-up needs two windows in each repetition")
    settled = np.median(rows[:, rows.shape[1] // 2 :], axis=1)
    return ratio_of_medians(rows[:, 0], settled)


# The largest share of a round's time that a correction may subtract. The true share is between nothing and the whole
# trip, so beyond this the corrected rate is unknown by more than a fifth.
LARGEST_SHARE = 0.1


@dataclass(frozen=True)
class Correction:
    """The subtracted share of the time, and the corrected rate; None if the share is too large."""

    share: Estimate
    rate: Estimate | None


def corrected(amount: float, times: ArrayLike, trips: ArrayLike, completed: ArrayLike | None = None) -> Correction:
    """Estimate the rate of `amount` per time without the way back of the receiver's answer.

    Estimator: the median over repetitions of amount / (time - trip / 2), from each repetition's time and round trip;
    or of amount / completed, if only a control message and its answer follow the last completion. Assumes that both
    directions take equally long, which one clock cannot show; and the data arrived before the last completion, by the
    time of an acknowledgement (0 if the data come here). The interval therefore goes from the rate with nothing
    subtracted to that with the whole trip subtracted, each at the outer end of its interval by ranks. Source: the
    exercise behind the until-stable experiment, whose published correction has no bound.
    """
    spans, trip = check_samples(times), check_samples(trips)
    end = spans if completed is None else check_samples(completed)
    likely = spans - trip / 2 if completed is None else end
    share = estimate_median((spans - likely) / spans)
    unknown = estimate_median(trip / 2 / spans)
    if max(part.interval.high if part.interval else part.value for part in (share, unknown)) > LARGEST_SHARE:
        return Correction(share, None)
    middle = estimate_median(amount / likely)
    low, high = (estimate_median(amount / time).interval for time in (spans, end - trip))
    interval = Interval(low.low, high.high) if low and high else None
    return Correction(share, Estimate(middle.value, interval, spans.size))
