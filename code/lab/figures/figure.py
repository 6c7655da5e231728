"""A printed figure, shared curves and looks, and errors; nothing here loads matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from lab.analysis.estimate import Estimate
from lab.errors import LabError, plural
from lab.figures.marks import INK, THIN_SPACE, size, trim, with_unit

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

DASHES = {"solid": "-", "dashed": (0, (5, 1.5)), "dotted": (0, (1, 1.2)), "none": "none"}

LEAST_INTERVAL = 0.005  # of a value: a narrower interval is hidden by its mark, or by the end of its bar

Look = dict[str, Any]  # arguments of a drawing library


class Figure(NamedTuple):
    pdf: bytes
    png: bytes
    svg: bytes


@dataclass(frozen=True)
class LineLook:
    """The look of a line, in colour and in grey, which a series has in all reports."""

    colour: str
    marker: str = "o"
    dashes: str = "solid"  # or dashed, dotted, none
    is_open: bool = False  # hollow marks

    @property
    def style(self) -> Look:
        face = "white" if self.is_open else self.colour
        line = {"color": self.colour, "linestyle": DASHES[self.dashes]}
        return line | {"marker": self.marker, "markerfacecolor": face}


@dataclass(frozen=True)
class Curve:
    """A series: an estimate at each x."""

    label: str
    x: tuple[float, ...]
    y: tuple[Estimate, ...]
    keys: tuple[str, ...] = ()
    look: LineLook = LineLook(INK)

    @property
    def values(self) -> list[float]:
        return [y.value for y in self.y]

    def ends(self, kind: str) -> str:
        """The first and the last value in words."""
        return f"{self.label} {self._at(0, kind)} to {self._at(-1, kind)}"

    def in_words(self, kind: str, words: Callable[[float], str] = size) -> str:
        """The first value, one in the middle, and the last."""
        places = dict.fromkeys((0, len(self.x) // 2, len(self.x) - 1))
        return f"{self.label} " + ", ".join(self._at(place, kind, words) for place in places)

    def _at(self, place: int, kind: str, words: Callable[[float], str] = size) -> str:
        return f"{with_unit(self.y[place].value, kind)} at {words(self.x[place])}"


@dataclass(frozen=True)
class Name:
    text: str
    line: Line2D
    x: float
    y: float


class HasKeys(Protocol):
    @property
    def keys(self) -> tuple[str, ...]: ...


def keys_of(series: Iterable[HasKeys]) -> tuple[str, ...]:
    """The records of all series, without repetitions."""
    return tuple(dict.fromkeys(key for single in series for key in single.keys))


def check_curves(figure: str, curves: Sequence[Curve], *, above_0: bool = True) -> None:
    """Refuse values that an axis, by default a logarithmic axis, would silently leave out."""
    for curve in curves:
        for x, value in zip(curve.x, curve.values, strict=True):
            if not isfinite(value) or (above_0 and value <= 0):
                what = f"{curve.label} at {x:g} is {value:g}, not above 0"
                raise LabError(what, where=figure)


def counts(curves: Iterable[Curve]) -> str:
    """The n and the bands in words: `n = 5 to 10 repetitions; bands: 95 % intervals of the median`."""
    points = [y for curve in curves for y in curve.y]
    least, most = min(estimate.n for estimate in points), max(estimate.n for estimate in points)
    n = f"n = {plural(most, 'repetition')}" if least == most else f"n = {least} to {most} repetitions"
    levels = {estimate.interval.level for estimate in points if estimate.interval}
    missing = sum(estimate.interval is None for estimate in points)
    if not levels:
        return f"{n}, too few for an interval"
    level = " or ".join(f"{trim(f'{100 * share:.1f}')}{THIN_SPACE}%" for share in sorted(levels))
    rest = f"; none where n is too small ({missing} of {plural(len(points), 'point')})" if missing else ""
    return f"{n}; bands: {level} intervals of the median{rest}"
