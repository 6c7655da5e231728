"""A rate or a time against one parameter: the effect of depth, warm-up, iterations, post lists or signalling."""

from __future__ import annotations

from dataclasses import replace

from lab.figures.curves import check_curves, draw_curves, heights, keys_of, label_of, ordered
from lab.figures.figure import Figure
from lab.figures.inputs import ByParameter, Curve, Unit
from lab.figures.labels import name_series
from lab.figures.plot import Plot, finish, new_panels
from lab.figures.scales import category_axis, log_axis, plain
from lab.figures.style import style
from lab.figures.words import counts, extremes, measured

HEIGHT_MM = 40.0


def parameter(data: ByParameter) -> Figure:
    """A quantity against one parameter, a curve for each size."""
    return finish(draw_by_parameter(data))


def draw_by_parameter(data: ByParameter) -> Plot:
    """The values stand evenly spaced, so that 0 and 10,000 rounds of warm-up both have their place."""
    check_curves(data.name, data.curves)
    scale = data.unit.size
    with style():
        drawing, (panel,) = new_panels([HEIGHT_MM])
        panel.grid(visible=True)
        places = category_axis(panel, [x for curve in data.curves for x in curve.x], data.parameter)
        log_axis(panel.yaxis, heights(data.curves, scale=scale))
        panel.set_ylabel(f"{data.quantity} in {data.unit.name}")
        moved = [replace(curve, x=tuple(places[x] for x in curve.x)) for curve in data.curves]
        name_series(drawing, panel, draw_curves(panel, moved, scale), HEIGHT_MM)
    n = counts([y for curve in data.curves for y in curve.y], "repetitions", "bands")
    return Plot(data.name, drawing, (panel,), _alt(data), n, keys_of(data.curves))


def _alt(data: ByParameter) -> str:
    title = f"{data.quantity.capitalize()} against {data.parameter} on {data.site}, logarithmic."
    return " ".join([title, *(_in_words(ordered(curve), data.unit) for curve in data.curves)])


def _in_words(curve: Curve, unit: Unit) -> str:
    points = [f"{measured(curve.y[place], unit)} at {plain(curve.x[place])}" for place in (0, -1)]
    return f"{label_of(curve)}: {', '.join(points)}, {extremes(curve.y, unit)}."
