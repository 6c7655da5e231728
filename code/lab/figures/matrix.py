"""A small square for each repetition of each series at each message size, filled where the repetition passed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from math import ceil

from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from lab.figures.curves import keys_of
from lab.figures.inputs import Figure, Matrix, MatrixRow
from lab.figures.marks import size
from lab.figures.plot import Plot, finish, new_panels, settle, to_mm
from lab.figures.style import MM_PER_INCH, SMALL_PT, style

ROW_MM = 7.0
LINES = 2  # of squares in a cell
CELL = 0.8  # of a column: the rest keeps neighbours apart
SQUARE = 0.66  # of the distance between two squares
LARGEST_MM = 2.4  # from one square to the next
POINTS_PER_MM = 72 / MM_PER_INCH
MOST_LABELS = 10


def matrix(data: Matrix) -> Figure:
    """The figure, with its content in words."""
    height = ROW_MM * len(data.rows)
    with style():
        drawing, (panel,) = new_panels([height])
        _axes(panel, data)
        settle(drawing, [panel], [height])
        width = to_mm(drawing, panel.bbox.width) / len(data.columns)
        for place, row in enumerate(data.rows):
            _draw(panel, row, place, width)
    most = max(total for row in data.rows for _, total in filter(None, row.cells))
    return finish(Plot(data.name, drawing, (panel,), _alt(data), f"n = {most} repetitions", keys_of(data.rows)))


def _axes(panel: Axes, data: Matrix) -> None:
    stride = ceil(len(data.columns) / MOST_LABELS)
    panel.set(xlim=(-0.5, len(data.columns) - 0.5), ylim=(len(data.rows) - 0.5, -0.5), xlabel="message size")
    panel.set_xticks(range(0, len(data.columns), stride), [size(column) for column in data.columns[::stride]])
    panel.set_yticks(range(len(data.rows)), [row.label for row in data.rows])
    panel.xaxis.set_minor_locator(NullLocator())
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    for place, row in enumerate(data.rows):
        cells = [cell for cell in row.cells if cell]
        passed = sum(count == total for count, total in cells)
        at = len(data.columns) - 0.3
        panel.text(at, place, f"{passed} of {len(cells)} sizes", fontsize=SMALL_PT, va="center")


def _draw(panel: Axes, row: MatrixRow, place: int, width_mm: float) -> None:
    most = max(ceil(total / LINES) for _, total in filter(None, row.cells))
    gap = min(CELL * width_mm / most, LARGEST_MM)
    for is_filled, face in ((True, row.look.colour), (False, "white")):
        spots = [spot for spot, passed in _spots(row, gap) if passed is is_filled]
        x, y = [column + right / width_mm for column, right, _ in spots], [place + down / ROW_MM for *_, down in spots]
        (squares,) = panel.plot(x, y, "s", markersize=SQUARE * gap * POINTS_PER_MM, clip_on=False)
        squares.set(markerfacecolor=face, markeredgecolor=row.look.colour, markeredgewidth=0.4)


def _spots(row: MatrixRow, gap: float) -> Iterator[tuple[tuple[int, float, float], bool]]:
    """The column of each square, how far it is from the middle of its cell in mm, and whether it is filled."""
    for column, cell in enumerate(row.cells):
        count, total = cell or (0, 0)
        per_line = ceil(total / LINES)
        for at in range(total):
            right, down = at % per_line - (per_line - 1) / 2, at // per_line - (LINES - 1) / 2
            yield (column, gap * right, gap * down), at < count


def _alt(data: Matrix) -> str:
    return f"{data.label} by message size: " + "; ".join(f"{row.label} {_told(data, row)}" for row in data.rows) + "."


def _told(data: Matrix, row: MatrixRow) -> str:
    return ", ".join(_ranges(data, row))


def _ranges(data: Matrix, row: MatrixRow) -> Iterator[str]:
    """`6 of 6 at 1 B to 32 B`: neighbouring sizes with equal counts in one."""
    measured = [(cell, column) for cell, column in zip(row.cells, data.columns, strict=True) if cell]
    for (count, total), group in groupby(measured, key=lambda pair: pair[0]):
        columns = [column for _, column in group]
        last = f" to {size(columns[-1])}" if len(columns) > 1 else ""
        yield f"{count} of {total} at {size(columns[0])}{last}"
