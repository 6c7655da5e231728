"""Curves with their intervals, and the limits above them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite, nan
from typing import Protocol

from matplotlib.axes import Axes

from lab.analysis.ceiling import Limit
from lab.analysis.estimate import Estimate
from lab.figures.errors import FigureError
from lab.figures.inputs import Curve
from lab.figures.labels import Name
from lab.figures.marks import BAND_ALPHA, GREY, INK, OTHERS, Mark, mark


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


def draw_curves(panel: Axes, curves: Sequence[Curve], scale: float = 1.0) -> list[Name]:
    """All curves with bands, in units of `scale`; gives their names and where each line ends."""
    looks = marks(curves)
    return [_draw(panel, curve, look, scale) for curve, look in zip(curves, looks, strict=True)]


def draw_limits(panel: Axes, limits: Iterable[Limit], scale: float = 1.0) -> list[Name]:
    """Draw the physical limits in black and without marks, since nobody measured them."""
    names = []
    for index, limit in enumerate(limits):
        heights = [value / scale for value in limit.y]
        dashes = ("-", (0, (8, 2)), (0, (2, 2)))[index % 3]
        (line,) = panel.plot(limit.x, heights, color=INK, linestyle=dashes, linewidth=0.7, label=limit.label, zorder=1)
        names.append(Name(limit.label, line, limit.x[-1], heights[-1]))
    return names


def heights(curves: Sequence[Curve], limits: Sequence[Limit] = (), scale: float = 1.0) -> list[float]:
    """All y that must be seen. The low end of an interval may be 0 or less: its band leaves the panel there."""
    seen = [each.value / scale for curve in curves for each in curve.y]
    ends = [end / scale for curve in curves for each in curve.y for end in _ends(each)]
    return [*seen, *(end for end in ends if end > min(seen) / 10), *(y / scale for limit in limits for y in limit.y)]


def label_of(curve: Curve) -> str:
    return f"{curve.label} ({curve.machine})" if curve.machine else curve.label


def keys_of(series: Iterable[HasKeys]) -> tuple[str, ...]:
    """The records of all series, each once."""
    return tuple(dict.fromkeys(key for each in series for key in each.keys))


def ordered(curve: Curve) -> Curve:
    """The same points from the smallest x to the largest."""
    pairs = sorted(zip(curve.x, curve.y, strict=True), key=lambda pair: pair[0])
    return replace(curve, x=tuple(x for x, _ in pairs), y=tuple(y for _, y in pairs))


def _draw(panel: Axes, curve: Curve, look: Mark, scale: float) -> Name:
    curve = ordered(curve)
    values = [each.value / scale for each in curve.y]
    ends = [_ends(each) for each in curve.y]
    low, high = [pair[0] / scale for pair in ends], [pair[1] / scale for pair in ends]
    panel.fill_between(curve.x, low, high, color=look.colour, alpha=BAND_ALPHA, linewidth=0)
    panel.vlines(curve.x, low, high, color=look.colour, linewidth=0.9)
    face = "white" if curve.machine else look.colour
    (line,) = panel.plot(curve.x, values, color=look.colour, linestyle=look.dashes, marker=look.marker)
    line.set(markerfacecolor=face, label=label_of(curve))
    return Name(label_of(curve), line, curve.x[-1], values[-1])


def marks(curves: Sequence[Curve]) -> list[Mark]:
    """A mark for each: its transport's colour, or one that no transport has, and grey for another machine."""
    some = any(curve.colour for curve in curves)
    found = []
    for index, curve in enumerate(curves):
        look = mark(index)
        free = OTHERS[index % len(OTHERS)] if some else look.colour
        found.append(Mark(GREY if curve.machine else curve.colour or free, look.dashes, look.marker))
    return found


def _ends(estimate: Estimate) -> tuple[float, float]:
    interval = estimate.interval
    return (interval.low, interval.high) if interval else (nan, nan)
