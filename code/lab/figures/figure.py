"""A finished figure: the same picture for print, for a screen and for a page, and its content in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """`alt` has the main numbers in words, `n` explains n and the bands, `keys` names the records."""

    name: str
    pdf: bytes
    png: bytes
    svg: bytes
    alt: str
    n: str
    keys: tuple[str, ...]
