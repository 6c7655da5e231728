"""When a curve of throughput moves: what the claims, the draft and the check of texts mean by a jump and by level."""

from __future__ import annotations

from collections.abc import Sequence

JUMP = 0.05  # of a message's time: a step that saves less is no jump
LEVEL = 1.1  # a curve is level from a size on where no larger one moves it by more than a tenth from there


def is_alike(ratio: float) -> bool:
    """Whether two values lie no further apart than a level curve from its start."""
    return 1 / LEVEL <= ratio <= LEVEL


def is_level(rates: Sequence[float]) -> bool:
    """Whether a curve stays where the first of these rates is."""
    return max(rates) <= LEVEL * rates[0] and min(rates) >= rates[0] / LEVEL
