"""Curves with their intervals, and the limits above them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Protocol

from lab.figures.errors import FigureError
from lab.figures.inputs import Curve


class HasKeys(Protocol):
    """A series that knows its records."""

    @property
    def keys(self) -> tuple[str, ...]: ...


def check_curves(figure: str, curves: Sequence[Curve], *, above_0: bool = True) -> None:
    """Refuses values that an axis, of logarithms unless told otherwise, would silently leave out."""
    if not curves:
        raise FigureError("a figure without a series", where=figure, hint="run its trials", figure=figure)
    for curve in curves:
        if not curve.x or len(curve.x) != len(curve.y):
            what = f"{curve.label} has {len(curve.x)} x for {len(curve.y)} y"
            raise FigureError(what, where=figure, hint="run its trials", figure=figure, label=curve.label)
        for x, y in zip(curve.x, curve.y, strict=True):
            if not isfinite(y.value) or (above_0 and y.value <= 0):
                what = f"{curve.label} at {x:g} is {y.value:g}, not above 0"
                raise FigureError(what, where=figure, figure=figure, label=curve.label)


def heights(curves: Sequence[Curve]) -> list[float]:
    """All y that must be seen. The low end of an interval may be 0 or less: its band leaves the panel there."""
    seen = [each.value for curve in curves for each in curve.y]
    bands = [each.interval for curve in curves for each in curve.y if each.interval]
    return [*seen, *(end for band in bands for end in (band.low, band.high) if end > min(seen) / 10)]


def keys_of(series: Iterable[HasKeys]) -> tuple[str, ...]:
    """The records of all series, each once."""
    return tuple(dict.fromkeys(key for each in series for key in each.keys))
