"""The mean of ratios, for which the arithmetic mean is wrong (Hoefler & Belli, rule 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lab.analysis import reproducible
from lab.analysis.samples import BadSample, check_samples


def geometric_mean(ratios: ArrayLike) -> float:
    """The mean of ratios, the same whichever side is the base; ratios must be above 0."""
    samples = check_samples(ratios)
    if samples.min() <= 0:
        index = int(np.argmin(samples))
        raise BadSample(f"sample {index} is {samples[index]}, not above 0", index=index)
    return reproducible.geometric_mean(samples.tolist())
