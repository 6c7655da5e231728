"""A figure made of letters, for a terminal or a file: a bar for each series at each size, all of them from zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.bar import Bar
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from lab.analysis.estimate import Estimate
from lab.figures.curves import check_curves
from lab.figures.inputs import Curve, LineLook, Sized
from lab.figures.sized import with_unit
from lab.figures.words import plain, size

SHORTEST = 8  # letters that are still a bar


@dataclass(frozen=True)
class Length:
    """A share of the column's width, in blocks; in letters of ASCII where the encoding has no blocks."""

    share: float
    colour: str

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if options.ascii_only:
            yield Text("#" * round(self.share * options.max_width))
        else:
            yield Bar(1.0, 0.0, self.share, color=self.colour)

    def __rich_measure__(self, _: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(SHORTEST, options.max_width)


def bars(data: Sized) -> Table:
    """The rates of all series, size by size; the longest bar fills its column."""
    check_curves(data.name, data.curves)
    table = Table("", "", box=None, pad_edge=False, expand=True, show_header=False)
    table.add_column(ratio=1, min_width=SHORTEST)
    table.add_column(justify="right", no_wrap=True)
    most = max(each.value for curve in data.curves for each in curve.y)
    for x in sorted({x for curve in data.curves for x in curve.x}):
        label = plain(size(x))
        for look, curve, rate in _at(data, x):
            length = Length(rate.value / most, look.colour)
            table.add_row(Text(label), Text(curve.label), length, Text(plain(with_unit(rate.value, data.kind))))
            label = ""
    return table


def _at(data: Sized, x: float) -> Iterator[tuple[LineLook, Curve, Estimate]]:
    """The curves that have this size, each with its look and its rate."""
    for curve, look in zip(data.curves, data.looks, strict=True):
        for there, rate in zip(curve.x, curve.y, strict=True):
            if there == x:
                yield look, curve, rate
