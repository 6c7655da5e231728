"""A finished figure: the same picture for print and for a screen, and what it says to those who can't see it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """`alt` tells the main numbers in words, `n` what n and the bands are, `keys` the records it comes from."""

    name: str
    pdf: bytes
    png: bytes
    alt: str
    n: str
    keys: tuple[str, ...]
