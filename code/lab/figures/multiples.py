"""Small panels against the message size: the panels of a row share an axis, those of a column a title."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import FuncFormatter, MaxNLocator

from lab.analysis.estimate import Interval
from lab.figures.curves import DASHES, check_curves, heights, keys_of, log_values, told, with_unit
from lab.figures.inputs import Curve, Figure, LineLook, Multiples, PanelRow
from lab.figures.marks import INK, counts
from lab.figures.plot import Name, Plot, finish, name_beside, new_grid, size_axis
from lab.figures.style import SMALL_PT, style

NAMES_MM, BESIDE_MM = 24.0, 5.0  # right of the panels; without names, half of a label below
SIZES_BETWEEN = 16  # two labels of sizes: "256 B" and "4 KiB" stay apart in a third of the width
ROOM, FACTOR, FACTOR_FOR_STEPS = 0.08, 1.4, 2.2  # beyond the data: of a linear range, or a factor
LEAST_S, LINE = 1e-9, 0.075  # a linear axis of zeros; of a panel's height, from one step's label to the next


def multiples(data: Multiples) -> Figure:
    """The figure, with its content in words."""
    curves = [curve for row in data.rows for curve in row.curves]
    for row in data.rows:
        check_curves(data.name, row.curves, above_0=not row.is_linear)
    with style():
        right = NAMES_MM if any(row.named for row in data.rows) else BESIDE_MM
        drawing, grid = new_grid(len(data.rows), len(data.rows[0].panels), data.height_mm, right)
        for row, panels in zip(data.rows, grid, strict=True):
            _draw_row(drawing, row, panels)
        for panel, axes in zip(data.rows[0].panels, grid[0], strict=True):
            axes.set_title(panel.title)
        for axes in (axes for row in grid[:-1] for axes in row):
            axes.set_xlabel("")
            axes.tick_params(labelbottom=False)
    n = counts([y for curve in curves for y in curve.y], "repetitions", "bars")
    return finish(Plot(data.name, drawing, tuple(axes for row in grid for axes in row), _alt(data), n, keys_of(curves)))


def _draw_row(drawing: Drawing, row: PanelRow, grid: Sequence[Axes]) -> None:
    for panel, axes in zip(row.panels, grid, strict=True):
        axes.grid(visible=True)
        size_axis(axes, [x for curve in row.curves for x in curve.x], SIZES_BETWEEN)
        _value_axis(axes, row)
        axes.tick_params(labelleft=axes is grid[0])
        pairs = zip(panel.curves, panel.looks, strict=True)
        names = [_draw(axes, curve, look, "none" if row.is_linear else look.dashes) for curve, look in pairs]
        for index, step in enumerate(panel.steps):
            _mark_step(axes, *step, 1 - LINE * index)
    grid[0].set_ylabel(row.label)
    if row.named:
        name_beside(drawing, grid[-1], names)


def _value_axis(axes: Axes, row: PanelRow) -> None:
    if row.is_linear:
        bars = [y.interval or Interval(y.value, y.value) for curve in row.curves for y in curve.y]
        low, high = min(0.0, *(bar.low for bar in bars)), max(LEAST_S, *(bar.high for bar in bars))
        axes.set_ylim(low - ROOM * (high - low), high + ROOM * (high - low))
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
        axes.axhline(0.0, color=INK, linewidth=0.9, zorder=1.5)
    else:
        log_values(axes, min(heights(row.curves)) / FACTOR, max(heights(row.curves)) * FACTOR_FOR_STEPS, "time")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: with_unit(value, "time")))


def _draw(axes: Axes, curve: Curve, look: LineLook, dashes: str) -> Name:
    """Marks with bars, and a line where they do not scatter about 0."""
    for x, y in zip(curve.x, curve.y, strict=True):
        if y.interval:
            axes.vlines(x, y.interval.low, y.interval.high, color=look.colour, linewidth=0.8)
    (line,) = axes.plot(curve.x, [y.value for y in curve.y], color=look.colour, linestyle=DASHES[dashes])
    line.set(marker=look.marker, markerfacecolor="white" if look.is_open else look.colour)
    return Name(curve.label, line, curve.x[-1], curve.y[-1].value)


def _mark_step(axes: Axes, below: float, above: float, colour: str, height: float) -> None:
    """A hairline between two sizes, with both at its head."""
    place, (first, last) = (below * above) ** 0.5, axes.get_xlim()
    axes.axvline(place, color=colour, linewidth=0.6, linestyle=(0, (4, 2)), zorder=1.2)
    label = axes.text(place, height, f" {below:g} | {above:g} B ", transform=axes.get_xaxis_transform(), color=colour)
    label.set(ha="right" if place**2 > first * last else "left", va="top", fontsize=SMALL_PT)


def _alt(data: Multiples) -> str:
    parts = [
        f"{' '.join(row.label.split())}, {panel.title}: {'; '.join(told(curve, 'time') for curve in panel.curves)}"
        + "".join(f"; a step between {below:g} and {above:g} B" for below, above, _ in panel.steps)
        for row in data.rows
        for panel in row.panels
    ]
    return f"Against message size, in {len(parts)} panels. {'. '.join(parts)}."
