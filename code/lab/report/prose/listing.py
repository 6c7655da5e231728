"""Parts of a sentence, one after the other."""

from __future__ import annotations

from collections.abc import Iterable


def listed(parts: Iterable[str]) -> str:
    """`the depth, the warm-up and the interval`."""
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last
