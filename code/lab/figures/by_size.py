"""Rates against the message size: throughput, message rate, and published curves beside ours."""

from __future__ import annotations

from dataclasses import replace

from lab.figures.curves import check_curves, draw_curves, draw_limits, heights, keys_of, label_of, ordered
from lab.figures.errors import FigureError
from lab.figures.figure import Figure
from lab.figures.inputs import MESSAGES_S, MICROSECONDS, BySize, Curve, Unit
from lab.figures.labels import name_series
from lab.figures.plot import Plot, finish, new_panels
from lab.figures.scales import log_axis, size_axis
from lab.figures.style import style
from lab.figures.words import counts, extremes, measured, number, size

HEIGHT_MM = 60.0


def throughput(data: BySize) -> Figure:
    """Bytes per second against size, with the link's limits where they are known."""
    return finish(draw_by_size(data, "throughput"))


def message_rate(data: BySize) -> Figure:
    """Messages per second against size."""
    return finish(draw_by_size(replace(data, unit=MESSAGES_S), "message rate"))


def round_trip(data: BySize) -> Figure:
    """Round-trip times against size."""
    return finish(draw_by_size(replace(data, unit=MICROSECONDS), "round trip"))


def half_trip(data: BySize) -> Figure:
    """Halves of round trips against size."""
    return finish(draw_by_size(replace(data, unit=MICROSECONDS), "half of the round trip"))


def call_time(data: BySize) -> Figure:
    """The time of a call against size."""
    return finish(draw_by_size(replace(data, unit=MICROSECONDS), "time of a call"))


def published(data: BySize) -> Figure:
    """Our curves beside those of other machines; both must be there."""
    if len({bool(curve.machine) for curve in data.curves}) < 2:
        raise FigureError("needs curves of this machine and of another", where=data.name, figure=data.name)
    return finish(draw_by_size(data, "throughput"))


def draw_by_size(data: BySize, quantity: str) -> Plot:
    check_curves(data.name, data.curves)
    scale = data.unit.size
    with style():
        drawing, (panel,) = new_panels([HEIGHT_MM])
        panel.grid(visible=True)
        size_axis(panel, [x for curve in data.curves for x in curve.x])
        log_axis(panel.yaxis, heights(data.curves, data.limits, scale))
        panel.set_ylabel(f"{quantity} in {data.unit.name}")
        names = draw_limits(panel, data.limits, scale) + draw_curves(panel, data.curves, scale)
        name_series(drawing, panel, names, HEIGHT_MM)
    return Plot(data.name, drawing, (panel,), _alt(data, quantity), _n(data), keys_of(data.curves))


def _alt(data: BySize, quantity: str) -> str:
    title = f"{quantity[0].upper()}{quantity[1:]} against message size on {data.site}, both axes logarithmic."
    curves = [_in_words(ordered(curve), data.unit) for curve in data.curves]
    scale, unit = data.unit.size, data.unit.name
    limits = [f"{limit.label}: up to {number(max(limit.y) / scale)} {unit}." for limit in data.limits]
    return " ".join([title, *curves, *limits])


def _in_words(curve: Curve, unit: Unit) -> str:
    points = [f"{measured(curve.y[place], unit)} at {size(curve.x[place])}" for place in (0, -1)]
    if len(curve.y) == 1:
        return f"{label_of(curve)}: {points[0]}."
    return f"{label_of(curve)}: {', '.join(points)}, {extremes(curve.y, unit)}."


def _n(data: BySize) -> str:
    ours = [each for curve in data.curves if not curve.machine for each in curve.y]
    others = dict.fromkeys(curve.machine for curve in data.curves if curve.machine)
    marked = [f"grey with hollow marks: {machine}" for machine in others]
    return "; ".join(([counts(ours, "repetitions", "bands")] if ours else []) + marked)
