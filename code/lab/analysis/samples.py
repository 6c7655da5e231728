"""Checks of incoming samples, so that no statistic is computed from nothing or from NaN."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lab.errors import LabError

Floats = NDArray[np.float64]

# Integers up to here are exact as float64: in nanoseconds 104 days.
LARGEST_EXACT = 2**53


@dataclass
class TooFewSamples(LabError):
    """A statistic needs more samples than there are."""

    needed: int = 0
    found: int = 0


@dataclass
class BadSample(LabError):
    """A sample is not a finite number, or too large to be exact."""

    index: int = 0


def check_samples(values: ArrayLike, least: int = 1) -> Floats:
    """The values as one row of floats; an error where there are fewer than `least` or one is no exact number."""
    samples = np.asarray(values, dtype=np.float64).reshape(-1)
    if samples.size < least:
        raise TooFewSamples(
            f"{samples.size} samples where at least {least} are needed", needed=least, found=samples.size
        )
    usable = np.abs(samples) <= LARGEST_EXACT  # false for NaN too
    if not usable.all():
        index = int(np.argmin(usable))
        raise BadSample(f"sample {index} is {samples[index]}, not a number below 2^53", index=index)
    return samples


def check_pairs(x: ArrayLike, y: ArrayLike, least: int) -> tuple[Floats, Floats]:
    """Both coordinates of the same points."""
    xs, ys = check_samples(x, least), check_samples(y, least)
    if xs.size != ys.size:
        raise TooFewSamples(f"{xs.size} x for {ys.size} y", needed=max(xs.size, ys.size), found=min(xs.size, ys.size))
    return xs, ys


def check_rows(x: ArrayLike, y: ArrayLike, least: int) -> tuple[Floats, Floats]:
    """The x, and for each repetition a row of y over them; y of one dimension are a single repetition."""
    xs, ys = check_samples(x, least), check_samples(y, least)
    rows = np.shape(y)[0] if np.ndim(y) == 2 else 1
    if ys.size != rows * xs.size:
        raise TooFewSamples(f"{ys.size} y for {rows} times {xs.size} x", needed=rows * xs.size, found=ys.size)
    return xs, ys.reshape(rows, xs.size)
