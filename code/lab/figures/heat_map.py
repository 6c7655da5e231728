"""Heat maps: a rate for each pair of two parameters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import isfinite, nan

from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure as Drawing
from matplotlib.image import AxesImage
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from lab.analysis.estimate import Estimate
from lab.figures.errors import FigureError
from lab.figures.figure import Figure
from lab.figures.inputs import HeatMap, Unit
from lab.figures.labels import width_mm
from lab.figures.marks import INK, PALE
from lab.figures.plot import Plot, finish, new_panels, settle, to_mm
from lab.figures.scales import log_axis, plain
from lab.figures.style import style
from lab.figures.words import counts, extremes, legible, number

ROW_MM, MOST_MM, BAR_MM = 7.5, 130.0, 3.0
CELL_PT = 8.0
LEAST_ROW_MM = 3.5  # for a number of that size
MOST_ROWS, MOST_COLUMNS = 32, 16  # with a label each
COLOURS = "cividis"  # its brightness rises evenly: the same map in grey (J. R. Nunez et al., 2018)
LEAST_RANGE, FEW = 1.1, 3.0
DARK = 0.5  # below this part of the range the colour is too dark for black letters


def heat_map(data: HeatMap) -> Figure:
    """A cell for each pair, with its number where that fits."""
    return finish(draw_heat_map(data))


def draw_heat_map(data: HeatMap) -> Plot:
    """Colours on a logarithmic scale: factors between settings matter, not differences."""
    _check(data)
    heights = [min(len(data.rows) * ROW_MM, MOST_MM), BAR_MM]
    values = [[each.value / data.unit.size if each else nan for each in row] for row in data.cells]
    present = [value for row in values for value in row if isfinite(value)]
    shown = _range(present)
    norm = LogNorm(*shown)
    with style():
        drawing, (panel, bar) = new_panels(heights)
        image = panel.imshow(values, cmap=COLOURS, norm=norm, aspect="auto", interpolation="nearest")
        _label_axes(panel, data)
        _draw_bar(drawing, bar, image, shown, data)
        settle(drawing, [panel, bar], heights)
        panels = [panel, bar]
        if heights[0] / len(data.rows) >= LEAST_ROW_MM and _write_cells(drawing, panel, values, norm, data.unit):
            panel.set_title(f"{_quantity(data)}{_letters(data.unit)}", loc="left")
            panels.remove(bar)
            bar.remove()  # its numbers stand in the cells
            settle(drawing, panels, heights[: len(panels)])
    n = counts(_found(data), "repetitions", "").split(";")[0] + "; colours are medians, white was not measured"
    return Plot(data.name, drawing, tuple(panels), _alt(data), n, data.keys)


def _range(present: Sequence[float]) -> tuple[float, float]:
    """The data's range, or a wider one where they hardly differ: a change of a hundredth keeps its colour."""
    missing = max(1.0, LEAST_RANGE / (max(present) / min(present))) ** 0.5
    return min(present) / missing, max(present) * missing


def _check(data: HeatMap) -> None:
    if len(data.cells) != len(data.rows) or any(len(row) != len(data.columns) for row in data.cells):
        raise FigureError("cells that are not rows times columns", where=data.name, figure=data.name)
    if not _found(data):
        raise FigureError("a heat map without a cell", where=data.name, hint="run its trials", figure=data.name)
    if any(not (isfinite(each.value) and each.value > 0) for each in _found(data)):
        raise FigureError("a cell that is not above 0", where=data.name, figure=data.name)


def _found(data: HeatMap) -> list[Estimate]:
    return [each for each in chain.from_iterable(data.cells) if each]


def _label_axes(panel: Axes, data: HeatMap) -> None:
    down, across = _stride(len(data.rows), MOST_ROWS), _stride(len(data.columns), MOST_COLUMNS)
    panel.set_yticks(range(0, len(data.rows), down), [_words(row) for row in data.rows[::down]])
    panel.set_xticks(range(0, len(data.columns), across), [plain(column) for column in data.columns[::across]])
    panel.set(xlabel=data.column_label, ylabel=data.row_label)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)


def _words(row: float | str) -> str:
    return row if isinstance(row, str) else plain(row)


def _quantity(data: HeatMap) -> str:
    return f"{data.quantity} in {data.unit.name}" if data.unit.name else data.quantity


def _stride(count: int, most: int) -> int:
    return -(-count // most)


def _draw_bar(drawing: Drawing, bar: Axes, image: AxesImage, shown: tuple[float, float], data: HeatMap) -> None:
    drawing.colorbar(image, cax=bar, orientation="horizontal", label=_quantity(data))
    bar.yaxis.set_major_locator(NullLocator())
    log_axis(bar.xaxis, shown)
    bar.set_xlim(*shown)
    if shown[1] / shown[0] < FEW:  # too few round numbers lie in such a range
        bar.xaxis.set_major_locator(FixedLocator([float(tick) for tick in MaxNLocator(6).tick_values(*shown)]))
    bar.spines[:].set(color=PALE, visible=True)


def _write_cells(drawing: Drawing, panel: Axes, values: Sequence[Sequence[float]], norm: LogNorm, unit: Unit) -> bool:
    """The numbers, all or none: a map with some would look as if the others were missing."""
    texts = [[_brief(value, unit) if isfinite(value) else "" for value in row] for row in values]
    cell_mm = to_mm(drawing, panel.bbox.width) / len(values[0])
    if max(width_mm(drawing, text, CELL_PT) for row in texts for text in row if text) > 0.9 * cell_mm:
        return False
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            if isfinite(value):
                colour = "white" if norm(value) < DARK else INK
                panel.text(column, row, texts[row][column], ha="center", va="center", fontsize=CELL_PT, color=colour)
    return True


def _brief(value: float, unit: Unit) -> str:
    """Three digits, and the first letter of the unit's prefix where it has one: 68 M."""
    chosen = legible(unit, value * unit.size)
    letter = "" if not unit.smaller or chosen == unit.smaller[-1] else chosen.name[0]
    return f"{number(value * unit.size / chosen.size)}{letter}"


def _letters(unit: Unit) -> str:
    named = [f"{each.name[0]} for {each.name}" for each in unit.smaller[:-1]]
    return f" (in cells {', '.join(named)})" if named else ""


def _alt(data: HeatMap) -> str:
    cells = [cell for row in data.cells for cell in row if cell]
    by = f"{data.row_label} and {data.column_label} on {data.site}"
    return f"Heat map of {data.quantity} by {by}: {extremes(cells, data.unit)}."
