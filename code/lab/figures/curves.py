"""Curves by size: one or several panels, with or without a published curve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, isfinite, log, log2, log10
from typing import Protocol

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from lab.figures.inputs import Against, Curve, Figure, FigureError, LineLook, Own, Sized
from lab.figures.marks import BAND_ALPHA, GREY, INK, THIN_SPACE, counts, number, size
from lab.figures.plot import ROOM, Name, Plot, finish, log_axis, name_series, new_panels, settle, size_axis
from lab.figures.style import SMALL_PT, style


class HasKeys(Protocol):
    """A series that knows its records."""

    @property
    def keys(self) -> tuple[str, ...]: ...


def check_curves(figure: str, curves: Sequence[Curve], *, above_0: bool = True) -> None:
    """Refuses values that an axis, of logarithms unless told otherwise, would silently leave out."""
    if not curves:
        raise FigureError("a figure without a series", where=figure, hint="run its trials", figure=figure)
    for curve in curves:
        if not curve.x or len(curve.x) != len(curve.y):
            what = f"{curve.label} has {len(curve.x)} x for {len(curve.y)} y"
            raise FigureError(what, where=figure, hint="run its trials", figure=figure, label=curve.label)
        for x, y in zip(curve.x, curve.y, strict=True):
            if not isfinite(y.value) or (above_0 and y.value <= 0):
                what = f"{curve.label} at {x:g} is {y.value:g}, not above 0"
                raise FigureError(what, where=figure, figure=figure, label=curve.label)


def heights(curves: Sequence[Curve]) -> list[float]:
    """All y that must be seen. The low end of an interval may be 0 or less: its band leaves the panel there."""
    seen = [each.value for curve in curves for each in curve.y]
    bands = [each.interval for curve in curves for each in curve.y if each.interval]
    return [*seen, *(end for band in bands for end in (band.low, band.high) if end > min(seen) / 10)]


def keys_of(series: Iterable[HasKeys]) -> tuple[str, ...]:
    """The records of all series, each once."""
    return tuple(dict.fromkeys(key for each in series for key in each.keys))


LEAST_BAND = 0.005  # of a value: a narrower interval is hidden by its mark
DASHES = {"solid": "-", "dashed": (0, (5, 1.5)), "dotted": (0, (1, 1.2)), "none": "none"}
STEPS = {  # the units of an axis, the largest first
    "rate": ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")),
    "messages": ((1e6, "million/s"), (1e3, "thousand/s"), (1.0, "/s")),
    "time": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
}


def sized(data: Sized) -> Figure:
    """The figure, with its content in words."""
    check_curves(data.name, data.curves)
    with style():
        drawing, (panel,) = new_panels([data.height_mm])
        panel.grid(visible=True)
        size_axis(panel, [x for curve in data.curves for x in curve.x])
        _value_axis(panel, data)
        names = [draw_limit(panel, label, value) for label, value in data.limits]
        names += [draw_line(panel, curve, look) for curve, look in zip(data.curves, data.looks, strict=True)]
        name_series(drawing, panel, names, data.height_mm)
    n = counts([y for curve in data.curves if not curve.machine for y in curve.y], "repetitions", "bands")
    return finish(Plot(data.name, drawing, (panel,), _sized_alt(data), n, keys_of(data.curves)))


def _value_axis(panel: Axes, data: Sized) -> None:
    values = [y.value for curve in data.curves for y in curve.y] + [value for _, value in data.limits]
    values += [1.0] if data.kind == "ratio" else []
    log_values(panel, min(values) / ROOM, max(values) * ROOM, data.kind)
    panel.set_ylabel(data.label)
    if data.kind == "ratio":
        panel.axhline(1.0, color=INK, linewidth=0.9, zorder=1.5)


def log_values(panel: Axes, low: float, high: float, kind: str) -> None:
    """A logarithmic axis of values of this kind, with ticks at round ones."""
    panel.set(yscale="log", ylim=(low, high))
    ticks = _powers_of_2(low, high) if kind == "ratio" else decades(low, high)
    panel.yaxis.set_major_locator(FixedLocator(ticks))
    panel.yaxis.set_minor_locator(FixedLocator([]))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _tick(value, kind)))


def _powers_of_2(low: float, high: float) -> list[float]:
    return _two_or_more([2.0**power for power in range(ceil(log2(low)), floor(log2(high)) + 1)], low, high)


def decades(low: float, high: float) -> list[float]:
    """Powers of ten; where there are fewer than three, 1, 2 and 5 of each; where even those are few, even steps."""
    tens = [10.0**power for power in range(ceil(log10(low)), floor(log10(high)) + 1)]
    if len(tens) > 2:
        return tens
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    return _two_or_more([part * 10.0**power for power in powers for part in (1, 2, 5)], low, high)


def _two_or_more(ticks: list[float], low: float, high: float) -> list[float]:
    """Those within the range, or evenly spaced ones where these are fewer than two."""
    inside = [tick for tick in ticks if low <= tick <= high]
    even = MaxNLocator(4, steps=(1, 2, 2.5, 5, 10)).tick_values(low, high)
    return inside if len(inside) > 1 else [float(tick) for tick in even if low <= tick <= high]


def _tick(value: float, kind: str) -> str:
    """`10 MB/s`, `200 ns`, `1/4`."""
    if kind == "ratio":
        return f"1/{1 / value:g}" if value < 1 and log2(value).is_integer() else f"{value:g}"
    return with_unit(value, kind)


def with_unit(value: float, kind: str, digits: int = 3) -> str:
    """A value in the unit that leaves a digit before the point."""
    if kind not in STEPS:
        return number(value, digits)
    if value == 0:
        return "0"
    scale, unit = next((step for step in STEPS[kind] if abs(value) >= step[0] * (1 - 1e-9)), STEPS[kind][-1])
    return f"{float(f'{value / scale:.{digits}g}'):g}{THIN_SPACE}{unit}".replace("-", "\N{MINUS SIGN}")


def draw_limit(panel: Axes, label: str, value: float) -> Name:
    """Draw a bound that nobody measured, from side to side."""
    (line,) = panel.plot(panel.get_xlim(), (value, value), color=INK, linestyle=(0, (6, 3)), linewidth=0.6, zorder=1)
    return Name(label, line, panel.get_xlim()[1], value)


def draw_line(panel: Axes, curve: Curve, look: LineLook) -> Name:
    """Draw a curve, with a band where its interval can be seen."""
    values = [y.value for y in curve.y]
    wide = [y.interval for y in curve.y]
    low = [band.low if band and band.width > LEAST_BAND * y else y for band, y in zip(wide, values, strict=True)]
    high = [band.high if band and band.width > LEAST_BAND * y else y for band, y in zip(wide, values, strict=True)]
    panel.fill_between(curve.x, low, high, color=look.colour, alpha=BAND_ALPHA, linewidth=0)
    (line,) = panel.plot(curve.x, values, color=look.colour, linestyle=DASHES[look.dashes], marker=look.marker)
    line.set(markerfacecolor="white" if look.is_open else look.colour)
    return Name(curve.label, line, curve.x[-1], values[-1])


def _sized_alt(data: Sized) -> str:
    curves = "; ".join(told(curve, data.kind) for curve in data.curves)
    limits = "".join(f"; {label}: {with_unit(value, data.kind)}" for label, value in data.limits)
    return f"{data.label.capitalize()} against message size, both axes logarithmic: {curves}{limits}."


def told(curve: Curve, kind: str) -> str:
    """A curve in words: its first value, one in its middle, and its last."""
    places = dict.fromkeys((0, len(curve.x) // 2, len(curve.x) - 1))
    return f"{curve.label} " + ", ".join(
        f"{with_unit(curve.y[at].value, kind)} at {size(curve.x[at])}" for at in places
    )


HEIGHT_MM = 62.0
DECADES = 50.0  # values that span more than this factor stand on a logarithmic axis
MOST_JOINED = 200  # of more points, a line between neighbours hides them


def own(data: Own) -> Figure:
    """Grey, as all that was not measured here."""
    return finish(draw_own(data))


def draw_own(data: Own) -> Plot:
    """Points in the order of the file."""
    with style():
        drawing, (panel,) = new_panels([HEIGHT_MM])
        panel.grid(visible=True)
        panel.plot(data.x, data.y, color=GREY, marker="o", linestyle="-" if len(data.x) <= MOST_JOINED else "none")
        for axis, values in ((panel.xaxis, data.x), (panel.yaxis, data.y)):
            _scale(axis, values)
        panel.set_xlabel(data.x_name, parse_math=False)
        panel.set_ylabel(data.y_name, parse_math=False)
        settle(drawing, [panel], [HEIGHT_MM])
    return Plot(data.name, drawing, (panel,), _own_alt(data), f"{len(data.x)} points", ())


def _scale(axis: Axis, values: Sequence[float]) -> None:
    if min(values) > 0 and max(values) / min(values) > DECADES:
        log_axis(axis, values)


def _own_alt(data: Own) -> str:
    first, last = (f"{data.y[place]:.4g} at {data.x[place]:.4g}" for place in (0, -1))
    return (
        f"Not checked: {data.y_name} over {data.x_name}, {len(data.x)} points from {data.file}, "
        f"from {first} to {last}; the largest is {max(data.y):.4g}, the smallest {min(data.y):.4g}."
    )


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
    return finish(Plot(data.name, drawing, (panel,), _against_alt(data), n, keys_of(data.curves)))


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


def _against_alt(data: Against) -> str:
    scale = "both axes linear" if data.is_linear else "both axes logarithmic"
    words = dict(data.ticks)
    parts = [f"{curve.label} {_told(curve, data.kind, words)}" for curve in data.curves]
    parts += [f"{model.label}, a line: {_told(model, data.kind, words)}" for model in data.models]
    parts += [f"{label}: {with_unit(value, data.kind)}" for label, value in data.limits]
    return f"{data.y_label.capitalize()} against {data.x_label}, {scale}: {'; '.join(parts)}."


def _told(curve: Curve, kind: str, words: dict[float, str]) -> str:
    points = zip(curve.x, curve.y, strict=True)
    return ", ".join(f"{with_unit(y.value, kind)} at {words[x]}" for x, y in points)
