"""A straight line through times, and the residuals that say whether it is one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from lab.analysis.estimate import reciprocal
from lab.analysis.regression import Line
from lab.analysis.samples import Floats
from lab.figures.errors import FigureError
from lab.figures.figure import Figure
from lab.figures.inputs import SECONDS, Fit, Unit
from lab.figures.marks import COLOURS, INK
from lab.figures.plot import Plot, finish, new_panels, settle
from lab.figures.scales import floor_log2
from lab.figures.style import SMALL_PT, style
from lab.figures.words import legible, measured, number, short, size

HEIGHTS_MM = (42.0, 22.0)


def fit(data: Fit) -> Figure:
    """Samples and line above, residuals below, on the same sizes."""
    return finish(draw_fit(data))


def draw_fit(data: Fit) -> Plot:
    """Linear axes, since a line is what is claimed."""
    if not data.x or len(data.x) != len(data.y) or len(data.x) != len(data.line.residuals):
        raise FigureError("x, y and residuals of different numbers", where=data.name, figure=data.name)
    data = replace(data, unit=legible(data.unit, max(data.y)))
    scale = data.unit.size
    with style():
        drawing, panels = new_panels(HEIGHTS_MM)
        upper, lower = panels
        _draw_samples(upper, data, scale)
        _draw_points(lower, data, np.asarray(data.line.residuals) / scale)
        lower.axhline(0, color=INK, linewidth=0.9)
        for panel in panels:
            _scales(panel, data)
        upper.tick_params(labelbottom=False)
        lower.set(xlabel="message size", ylabel=f"residual in {data.unit.name}")
        drawing.align_ylabels(panels)
        settle(drawing, panels, HEIGHTS_MM)
    repetitions = data.line.slope.n
    n = f"n = {repetitions} repetitions of {data.line.n // repetitions} times each"
    if data.line.slope.interval is None:
        n = f"n = {data.line.n} times of one repetition, too few for an interval"
    return Plot(data.name, drawing, panels, _alt(data), n, data.keys)


def _draw_samples(panel: Axes, data: Fit, scale: float) -> None:
    _draw_points(panel, data, np.asarray(data.y) / scale, data.label)
    if data.pieces is None:
        _draw_line(panel, data.line, scale, "line")
    else:
        _draw_line(panel, data.line, scale, "one line", ":")
        _draw_line(panel, data.pieces.below, scale, "two lines")
        _draw_line(panel, data.pieces.above, scale)
    panel.set_title("\n".join(_title(data)), fontsize=SMALL_PT)
    panel.set_ylabel(f"time in {data.unit.name}")
    panel.legend(loc="upper left")


def _draw_line(panel: Axes, line: Line, scale: float, label: str = "", dashes: str = "-") -> None:
    ends = np.asarray([line.low, line.high])
    panel.plot(ends, line.at(ends) / scale, color=INK, linewidth=0.9, label=label, linestyle=dashes)


def _draw_points(panel: Axes, data: Fit, y: Floats, label: str = "") -> None:
    (points,) = panel.plot(data.x, y, label=label, color=data.colour or COLOURS[0], marker="o", linestyle="none")
    points.set(markersize=2.4, markerfacecolor="none")


def _scales(panel: Axes, data: Fit) -> None:
    panel.grid(visible=True)
    step = max(1.0, 2.0 ** floor_log2(max(data.x) / 5))
    room = 0.03 * max(data.x)
    panel.set_xlim(min(0.0, *data.x) - room, max(data.x) + room)
    panel.xaxis.set_major_locator(FixedLocator([step * place for place in range(int(max(data.x) / step) + 1)]))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: size(value) if value else "0"))
    panel.yaxis.set_major_locator(MaxNLocator(5))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def _title(data: Fit) -> list[str]:
    """The slope and intercept of the line, or of each of two lines."""
    if data.pieces is None:
        return [f"{data.label}: {_slope(data, data.line)}{_r_squared(data)}", _intercept(data.line)]
    at = data.pieces.at
    where = size(at.value) + (f" ({size(at.interval.low)} to {size(at.interval.high)})" if at.interval else "")
    pieces = (data.pieces.below, data.pieces.above)
    return [
        f"{data.label}: two lines, break at {where}",
        *(f"{_slope(data, each)}, {_intercept(each)}" for each in pieces),
    ]


def _slope(data: Fit, line: Line) -> str:
    if line.slope.value <= 0:
        return "slope not above 0"
    per_ns = Unit(data.rate.name, data.rate.size / 1e9)  # a slope is in ns per byte
    return f"1/slope {measured(reciprocal(line.slope), per_ns)}"


def _intercept(line: Line) -> str:
    return f"intercept {measured(line.intercept, SECONDS)}, fitted from {size(line.low)} to {size(line.high)}"


def _r_squared(data: Fit) -> str:
    return "" if data.line.r_squared is None else f", R\N{SUPERSCRIPT TWO} {data.line.r_squared:.5f}"


def _alt(data: Fit) -> str:
    worst = number(float(np.abs(data.line.residuals).max()) / data.unit.size)
    lines = "two least-squares lines, as one does not follow them" if data.pieces else "a least-squares line"
    return (
        f"Times of messages against their size on {data.site} with {lines}. {'; '.join(_title(data))}. "
        f"The largest residual of one line is {worst} {data.unit.name}."
    )
