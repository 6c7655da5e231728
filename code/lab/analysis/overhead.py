"""The time of a round without the overhead after its data have arrived."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis.estimate import LEVEL, Estimate, Interval
from lab.analysis.samples import Floats, check_samples
from lab.analysis.summary import estimate_median

# The largest share of a round's time that a correction may take off. The true share lies anywhere between nothing and
# the whole trip, so beyond this the corrected rate is unknown by more than a fifth.
LARGEST_SHARE = 0.1


@dataclass(frozen=True)
class Correction:
    """The share of the time that is taken off, and the corrected rate; None where the share is too large."""

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
    return _correction(amount, _Times(spans, spans - trip / 2, spans - trip), trip, level)


def until_completed(
    amount: float, times: ArrayLike, completed: ArrayLike, trips: ArrayLike, level: float = LEVEL
) -> Correction:
    """The rate of `amount` up to the last completion, after which a round only tells its server and hears its answer.

    Estimator: the median over repetitions of amount / completed. The data arrived before that by the way back of the
    last acknowledgement, at most the round trip (0 where the data come here): the interval goes from the rate with
    nothing taken off to that with the whole trip off the completion, each at the outer end of its interval by ranks.
    """
    spans, ends, trip = check_samples(times), check_samples(completed), check_samples(trips)
    return _correction(amount, _Times(spans, ends, ends - trip), trip, level)


@dataclass(frozen=True)
class _Times:
    """The times of each repetition: as measured, with the likely overhead off, and with the most off."""

    longest: Floats
    likely: Floats
    shortest: Floats


def _correction(amount: float, times: _Times, trip: Floats, level: float) -> Correction:
    share = estimate_median((times.longest - times.likely) / times.longest, level)
    unknown = estimate_median(trip / 2 / times.longest, level)
    if max(each.interval.high if each.interval else each.value for each in (share, unknown)) > LARGEST_SHARE:
        return Correction(share, None)
    middle = estimate_median(amount / times.likely, level)
    low, high = (estimate_median(amount / each, level).interval for each in (times.longest, times.shortest))
    interval = Interval(low.low, high.high, level) if low and high else None
    return Correction(share, Estimate(middle.value, interval, int(np.size(times.longest))))
