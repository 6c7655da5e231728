"""Lines against a value that a series varies, with the lines that a model predicts and the limits that end them."""

from __future__ import annotations

from math import log

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from lab.figures.curves import check_curves, keys_of
from lab.figures.figure import Figure
from lab.figures.inputs import Against, Curve
from lab.figures.labels import name_series
from lab.figures.marks import INK
from lab.figures.plot import Plot, finish, new_panels
from lab.figures.scales import ROOM
from lab.figures.sized import DASHES, decades, draw_limit, draw_line, with_unit
from lab.figures.style import SMALL_PT, style
from lab.figures.words import counts

LINEAR_ROOM = 1.08  # a linear axis ends at this multiple of the data
MOST_TICKS = 6
LEAST_GAP = 0.07  # of the axis, between two ticks with words


def against(data: Against) -> Figure:
    """The figure, with its content in words."""
    check_curves(data.name, [*data.curves, *data.models])
    with style():
        drawing, (panel,) = new_panels([data.height_mm])
        panel.grid(visible=True)
        _axes(panel, data)
        if data.models:
            _draw_models(panel, data.models)
        names = [draw_limit(panel, label, value) for label, value in data.limits]
        names += [draw_line(panel, curve, look) for curve, look in zip(data.curves, data.looks, strict=True)]
        name_series(drawing, panel, names, data.height_mm)
    n = counts([y for curve in data.curves for y in curve.y], "repetitions", "bands")
    return finish(Plot(data.name, drawing, (panel,), _alt(data), n, keys_of(data.curves)))


def _axes(panel: Axes, data: Against) -> None:
    ys = [y.value for curve in data.curves for y in curve.y] + [value for _, value in data.limits]
    xs = [x for curve in data.curves for x in curve.x]
    panel.set(xlabel=data.x_label, ylabel=data.y_label)
    if data.is_linear:
        panel.set(xlim=(0, LINEAR_ROOM * max(xs)), ylim=(0, LINEAR_ROOM * max(ys)))
        panel.yaxis.set_major_locator(MaxNLocator(MOST_TICKS))
    else:
        low, high = min(ys) / ROOM, max(ys) * ROOM
        panel.set(xscale="log", yscale="log", xlim=(min(xs) / ROOM, max(xs) * ROOM), ylim=(low, high))
        panel.yaxis.set_major_locator(FixedLocator(decades(low, high)))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: with_unit(value, data.kind) if value else "0"))
    panel.set_xticks(*zip(*_ticks(data), strict=True))
    panel.xaxis.set_minor_locator(FixedLocator([]))
    panel.yaxis.set_minor_locator(FixedLocator([]))


def _ticks(data: Against) -> list[tuple[float, str]]:
    """From the right, without those whose words would touch another one's."""
    low, high = min(x for x, _ in data.ticks), max(x for x, _ in data.ticks)
    kept: list[tuple[float, str]] = []
    for x, words in sorted(data.ticks, reverse=True):
        gap = (kept[-1][0] - x) / high if data.is_linear and kept else 1.0
        if kept and not data.is_linear:
            gap = log(kept[-1][0] / x) / log(high / low)
        kept += [(x, words)] if gap >= LEAST_GAP else []
    return kept


def _draw_models(panel: Axes, models: tuple[Curve, ...]) -> None:
    """Dotted lines; the name of the first, for all of them, is above its last point within the panel."""
    for model in models:
        values = [y.value for y in model.y]
        panel.plot(model.x, values, color=INK, linestyle=DASHES["dotted"], linewidth=0.9, zorder=1.5)
    inside = [(x, y.value) for x, y in zip(models[0].x, models[0].y, strict=True) if y.value <= panel.get_ylim()[1]]
    if inside:
        across, place = ("left", (8, 0)) if len(inside) == 1 else ("right", (-4, 3))
        panel.annotate(models[0].label, inside[-1], place, textcoords="offset points", fontsize=SMALL_PT, ha=across)


def _alt(data: Against) -> str:
    scale = "both axes linear" if data.is_linear else "both axes logarithmic"
    words = dict(data.ticks)
    parts = [f"{curve.label} {_told(curve, data.kind, words)}" for curve in data.curves]
    parts += [f"{model.label}, a line: {_told(model, data.kind, words)}" for model in data.models]
    parts += [f"{label}: {with_unit(value, data.kind)}" for label, value in data.limits]
    return f"{data.y_label.capitalize()} against {data.x_label}, {scale}: {'; '.join(parts)}."


def _told(curve: Curve, kind: str, words: dict[float, str]) -> str:
    points = zip(curve.x, curve.y, strict=True)
    return ", ".join(f"{with_unit(y.value, kind)} at {words[x]}" for x, y in points)
