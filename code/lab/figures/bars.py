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
from lab.figures.curves import check_curves, marks
from lab.figures.inputs import BySize, Curve
from lab.figures.words import number, plain, size

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


def bars(data: BySize) -> Table:
    """The rates of all series, size by size; the longest bar fills its column."""
    check_curves(data.name, data.curves)
    table = Table("", "", box=None, pad_edge=False, expand=True, show_header=False)
    table.add_column(ratio=1, min_width=SHORTEST)
    table.add_column(justify="right", no_wrap=True)
    most = max(each.value for curve in data.curves for each in curve.y)
    for x in sorted({x for curve in data.curves for x in curve.x}):
        label = plain(size(x))
        for colour, curve, rate in _at(data.curves, x):
            length = Length(rate.value / most, colour)
            words = plain(f"{number(rate.value / data.unit.size)} {data.unit.name}")
            table.add_row(Text(label), Text(curve.label), length, Text(words))
            label = ""
    return table


def _at(curves: tuple[Curve, ...], x: float) -> Iterator[tuple[str, Curve, Estimate]]:
    """The curves that have this size, each with its colour and its rate."""
    for curve, look in zip(curves, marks(curves), strict=True):
        for there, rate in zip(curve.x, curve.y, strict=True):
            if there == x:
                yield look.colour, curve, rate
