"""The few free parameters of a modelled card, fitted to a measured curve of throughput by size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from scipy.optimize import least_squares

from lab.analysis.card_model import BLOCK, HEAD, PS_PER_S, Rates
from lab.analysis.samples import Floats, TooFewSamples

LEAST = 4  # sizes, for three parameters
OUTLIER = 0.02  # an error above this counts as its amount and not as its square
IMPOSSIBLE = 4  # how much more it counts where the model is slower than what was measured


@dataclass(frozen=True)
class Conditions:
    """What is known of the card and of who measured."""

    rate_bit_s: float
    mtu: int = 4096
    inline_most: int = 0


def fit(curve: Mapping[int, float], known: Conditions) -> Rates:
    """Gap, block and header of the card whose curve is nearest, in bytes per second by size.

    Estimator: least squares of the logarithms of the ratios, with the loss 2 (sqrt(1 + z) - 1), and an error counts
    four times where the model is the slower one: something else may slow a size down, but no card is faster than
    itself. Assumes the wire's rate, and that no bus limits. Source: P. J. Huber, "Robust Estimation of a Location
    Parameter" (1964); B. Triggs et al., "Bundle Adjustment" (2000).
    """
    if len(curve) < LEAST:
        raise TooFewSamples("three parameters need four sizes", needed=LEAST, found=len(curve))
    begin = _begin(curve, known)
    scale = np.array([begin.gap_ps, begin.block_ps, begin.header_bytes])

    def off(x: Floats) -> Floats:
        ratios = np.log([1 + each for each in errors(curve, _moved(begin, x * scale), known).values()])
        return np.where(ratios < 0, IMPOSSIBLE * ratios, ratios)

    found = least_squares(off, np.ones(3), bounds=(0, 10), loss="soft_l1", f_scale=OUTLIER, diff_step=[1e-4] * 3)
    return _moved(begin, found.x * scale)


def errors(curve: Mapping[int, float], rates: Rates, known: Conditions) -> dict[int, float]:
    """By how much of the measured rate the model is above it, size by size."""
    made = {size: rates.bytes_per_s(size, known.mtu, known.inline_most) for size in curve}
    return {size: made[size] / rate - 1 for size, rate in curve.items()}


def _moved(rates: Rates, x: Floats) -> Rates:
    gap, block, header = (float(each) for each in x)
    return replace(rates, gap_ps=gap, block_ps=block, header_bytes=header)


def _begin(curve: Mapping[int, float], known: Conditions) -> Rates:
    """From the sizes at which each parameter alone limits."""
    each_ps = {size: size * PS_PER_S / rate for size, rate in sorted(curve.items())}
    small = [ps for size, ps in each_ps.items() if size <= BLOCK] or [min(each_ps.values())]
    inline = [ps * BLOCK / (HEAD + size) for size, ps in each_ps.items() if 4 * BLOCK <= size <= known.inline_most]
    largest = max(curve)
    packets, passed = -(-largest // known.mtu), known.rate_bit_s / 8 / curve[largest] * largest
    header = max(1.0, (passed - largest) / packets)
    return Rates(known.rate_bit_s, header, min(small), median(inline) if inline else BLOCK * 8.0)
