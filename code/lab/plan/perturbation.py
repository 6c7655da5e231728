"""A different start for each repetition, so that luck with layout and timing shows as spread.

The same repetition has the same start on every computer.
"""

from __future__ import annotations

import hashlib
from functools import cache

from lab.model.trial import Perturbation

START_DELAY_NS = 8_000_000  # two scheduler ticks at 250 Hz
ENVIRONMENT_BYTES = 4096  # a page: moves the stack against it


def perturb(repetition: int) -> Perturbation:
    """Start delay and size of the environment of a repetition."""
    return Perturbation(
        _draw("delay", repetition) % START_DELAY_NS, _draw("environment", repetition) % ENVIRONMENT_BYTES
    )


@cache
def shuffle(sizes: tuple[int, ...], repetition: int) -> tuple[int, ...]:
    """The order of the sizes in a repetition."""
    return tuple(sorted(sizes, key=lambda size: _draw(f"size {size}", repetition)))


@cache
def _draw(what: str, repetition: int) -> int:
    """A number from a hash: the sequence of a random generator may change with Python's version."""
    return int.from_bytes(hashlib.sha256(f"{what} {repetition}".encode()).digest()[:8], "big")
