"""Lines against the message size, each named at its end: rates, times, or ratios with a line at 1."""

from __future__ import annotations

from math import ceil, floor, log2, log10

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from lab.figures.curves import check_curves, keys_of
from lab.figures.figure import Figure
from lab.figures.inputs import Curve, LineLook, Sized
from lab.figures.labels import Name, name_series
from lab.figures.marks import BAND_ALPHA, INK
from lab.figures.plot import Plot, finish, new_panels
from lab.figures.scales import ROOM, size_axis
from lab.figures.style import style
from lab.figures.words import THIN_SPACE, counts, number, size

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
    return finish(Plot(data.name, drawing, (panel,), _alt(data), n, keys_of(data.curves)))


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


def _alt(data: Sized) -> str:
    curves = "; ".join(told(curve, data.kind) for curve in data.curves)
    limits = "".join(f"; {label}: {with_unit(value, data.kind)}" for label, value in data.limits)
    return f"{data.label.capitalize()} against message size, both axes logarithmic: {curves}{limits}."


def told(curve: Curve, kind: str) -> str:
    """A curve in words: its first value, one in its middle, and its last."""
    places = dict.fromkeys((0, len(curve.x) // 2, len(curve.x) - 1))
    return f"{curve.label} " + ", ".join(
        f"{with_unit(curve.y[at].value, kind)} at {size(curve.x[at])}" for at in places
    )
