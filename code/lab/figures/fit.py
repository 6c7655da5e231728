"""A straight line through times, and the residuals that say whether it is one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from lab.analysis.estimate import reciprocal
from lab.figures.errors import FigureError
from lab.figures.figure import Figure
from lab.figures.inputs import SECONDS, Fit, Unit
from lab.figures.picture import Picture, finish, new_panels, settle
from lab.figures.scales import floor_log2
from lab.figures.style import COLOURS, INK, SMALL_PT, style
from lab.figures.words import legible, measured, number, short, size

HEIGHTS_MM = (42.0, 22.0)


def fit(data: Fit) -> Figure:
    """Samples and line above, residuals below, on the same sizes."""
    return finish(draw_fit(data))


def draw_fit(data: Fit) -> Picture:
    """Linear axes, since a line is what is claimed."""
    if not data.x or len(data.x) != len(data.y) or len(data.x) != len(data.line.residuals):
        raise FigureError("x, y and residuals of different numbers", where=data.name, figure=data.name)
    data = replace(data, unit=legible(data.unit, max(data.y)))
    scale = data.unit.size
    with style():
        drawing, panels = new_panels(HEIGHTS_MM)
        upper, lower = panels
        _draw_samples(upper, data, scale)
        lower.plot(data.x, np.asarray(data.line.residuals) / scale, **_points())
        lower.axhline(0, color=INK, linewidth=0.9)
        for panel in panels:
            _scales(panel, data)
        upper.tick_params(labelbottom=False)
        lower.set(xlabel="message size", ylabel=f"residual in {data.unit.name}")
        drawing.align_ylabels(panels)
        settle(drawing, panels, HEIGHTS_MM)
    n = f"n = {data.line.n} samples; no band: the residuals show the spread"
    return Picture(data.name, drawing, panels, _alt(data), n, data.keys)


def _draw_samples(panel: Axes, data: Fit, scale: float) -> None:
    ends = np.asarray([data.line.low, data.line.high])
    panel.plot(data.x, np.asarray(data.y) / scale, label=data.label, **_points())
    panel.plot(ends, data.line.at(ends) / scale, color=INK, linewidth=0.9, label="least squares")
    panel.set_title(f"{_slope(data)}\n{_intercept(data)}", fontsize=SMALL_PT)
    panel.set_ylabel(f"time in {data.unit.name}")
    panel.legend(loc="upper left")


def _points() -> dict[str, Any]:
    return {"color": COLOURS[0], "marker": "o", "linestyle": "none", "markersize": 2.4, "markerfacecolor": "none"}


def _scales(panel: Axes, data: Fit) -> None:
    panel.grid(visible=True)
    step = max(1.0, 2.0 ** floor_log2(max(data.x) / 5))
    room = 0.03 * max(data.x)
    panel.set_xlim(min(0.0, *data.x) - room, max(data.x) + room)
    panel.xaxis.set_major_locator(FixedLocator([step * place for place in range(int(max(data.x) / step) + 1)]))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: size(value) if value else "0"))
    panel.yaxis.set_major_locator(MaxNLocator(5))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def _slope(data: Fit) -> str:
    per_ns = Unit(data.rate.name, data.rate.size / 1e9)  # a slope is in ns per byte
    return f"{data.label}: 1/slope {measured(reciprocal(data.line.slope), per_ns)}{_r_squared(data)}"


def _intercept(data: Fit) -> str:
    low, high = size(data.line.low), size(data.line.high)
    return f"intercept {measured(data.line.intercept, SECONDS)}, fitted from {low} to {high}"


def _r_squared(data: Fit) -> str:
    return "" if data.line.r_squared is None else f", R\N{SUPERSCRIPT TWO} {data.line.r_squared:.5f}"


def _alt(data: Fit) -> str:
    worst = number(float(np.abs(data.line.residuals).max()) / data.unit.size)
    return (
        f"Times of messages against their size on {data.site} with a least-squares line. {_slope(data)}; "
        f"{_intercept(data)}. The largest residual is {worst} {data.unit.name}."
    )
