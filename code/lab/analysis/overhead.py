"""Taking an overhead off: the time of a round without the way back of the answer that ends it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.estimate import LEVEL, Estimate, Interval
from lab.analysis.samples import check_samples
from lab.analysis.summary import estimate_median

# Of a round's time: where half of the round trip takes more, the correction is not made. The way back lies anywhere
# between nothing and the whole trip, so beyond this the corrected rate is unknown by more than a fifth.
LARGEST_SHARE = 0.1


@dataclass(frozen=True)
class Correction:
    """How large half of the round trip is, as a part of the time, and the rate without it; None where it is refused."""

    share: Estimate
    rate: Estimate | None


def without_way_back(amount: float, times: ArrayLike, trips: ArrayLike, level: float = LEVEL) -> Correction:
    """The rate of `amount` per time, less half of the round trip, of each repetition's time and round trip.

    Estimator: the median over repetitions of amount / (time - trip / 2). Assumes that both ways take alike, which one
    clock cannot know: the interval therefore goes from the rate with nothing taken off to that with the whole trip
    taken off, each at the outer end of its interval by ranks. Source: the exercise behind the until-stable experiment,
    whose published correction has no bound.
    """
    spans, trip = check_samples(times), check_samples(trips)
    share = estimate_median(trip / 2 / spans, level)
    largest = share.interval.high if share.interval else share.value
    if largest > LARGEST_SHARE:
        return Correction(share, None)
    middle = estimate_median(amount / (spans - trip / 2), level)
    low, high = (estimate_median(amount / each, level).interval for each in (spans, spans - trip))
    interval = Interval(low.low, high.high, level) if low and high else None
    return Correction(share, Estimate(middle.value, interval, int(np.size(spans))))
