"""Throughput by window: whether the start of a trial differs from the rest."""

from __future__ import annotations

from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from lab.figures.curves import check_curves, draw_curves, heights, keys_of
from lab.figures.figure import Figure
from lab.figures.inputs import Curve, Unit, Windows, WindowSeries
from lab.figures.marks import GREY, PALE
from lab.figures.plot import Plot, finish, new_panels, settle
from lab.figures.style import SMALL_PT, style
from lab.figures.words import counts, legible, measured, short

HEIGHT_MM = 20.0
LETTERS = 92  # of a title on a line
MOST_MM = 200.0  # of all panels: a figure must leave a page room for its caption
ROOM = 0.12  # of the range, above and below the data
LEAST_RANGE = 0.2  # of the highest value: a change of a hundredth must not look like a cliff


def windows(data: Windows) -> Figure:
    """A panel for each series, the unsteady start shaded."""
    return finish(draw_windows(data))


def draw_windows(data: Windows) -> Plot:
    """Each panel has its own linear axis that need not begin at 0, since it shows how much a start differs."""
    curves = [_curve(series) for series in data.series]
    check_curves(data.name, curves)
    tall = [min(HEIGHT_MM, MOST_MM / len(curves) - 8)] * len(curves)
    with style():
        drawing, panels = new_panels(tall)
        for panel, series, curve in zip(panels, data.series, curves, strict=True):
            _draw(panel, series, curve, legible(data.unit, max(heights([curve]))))
        panels[-1].set_xlabel("window (consecutive messages, in the order of time)")
        drawing.align_ylabels(panels)
        settle(drawing, panels, tall)
    n = counts([y for curve in curves for y in curve.y], "repetitions", "bands")
    alt = " ".join([f"Throughput by window on {data.site}.", *(_in_words(each, data.unit) for each in data.series)])
    return Plot(data.name, drawing, panels, alt, n, keys_of(data.series))


def _curve(series: WindowSeries) -> Curve:
    places = tuple(float(index) for index in range(len(series.y)))
    return Curve(series.label, places, series.y, series.keys, colour=series.colour)


def _draw(panel: Axes, series: WindowSeries, curve: Curve, unit: Unit) -> None:
    panel.grid(visible=True)
    draw_curves(panel, [curve], unit.size)
    start = series.steady.start
    if start != 0:
        panel.axvspan(-0.5, (len(series.y) if start is None else start) - 0.5, color=PALE, alpha=0.6, linewidth=0)
    if start:
        panel.axvline(start - 0.5, color=GREY, linewidth=0.9, linestyle=(0, (4, 2)))
    panel.set_title(fill(f"{series.label}: {_settles(series)}", LETTERS), fontsize=SMALL_PT)
    panel.set_xlim(-0.5, len(series.y) - 0.5)
    panel.xaxis.set_major_locator(MaxNLocator(10, integer=True))
    panel.set_ylabel(f"throughput\nin {unit.name}")
    _linear(panel, curve, unit)


def _linear(panel: Axes, curve: Curve, unit: Unit) -> None:
    seen = heights([curve], scale=unit.size)
    missing = max(0.0, LEAST_RANGE * max(seen) - (max(seen) - min(seen))) / 2
    room = ROOM * (max(seen) - min(seen)) + missing
    panel.set_ylim(min(seen) - room, max(seen) + room)
    panel.yaxis.set_major_locator(MaxNLocator(4))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def _settles(series: WindowSeries) -> str:
    start = series.steady.start
    steady = "not steady before the middle" if start is None else f"steady from window {start}"
    return f"{steady}; the first takes {measured(series.warm_up)} times as long"


def _in_words(series: WindowSeries, unit: Unit) -> str:
    first, last = (measured(each, unit) for each in (series.y[0], series.y[-1]))
    return f"{series.label}: {first} in the first window, {last} in the last of {len(series.y)}; {_settles(series)}."
