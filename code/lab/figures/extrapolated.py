"""Times against message sizes on linear axes, and straight lines through some of them that end at 0 bytes."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from lab.figures.curves import keys_of
from lab.figures.errors import FigureError
from lab.figures.figure import Figure
from lab.figures.inputs import Curve, Extrapolated, RayPanel
from lab.figures.labels import LINE_MM, spread
from lab.figures.marks import GREY, INK
from lab.figures.plot import Plot, finish, new_panels, settle_beside
from lab.figures.sized import with_unit
from lab.figures.style import SMALL_PT, style
from lab.figures.words import counts, short, size

NAMES = 0.45  # of a cut axis: the room left of 0 bytes, for the names of the lines
HEAD = 0.17  # of the times' range, above them: for the rates of the lines
LARGE = 4.6  # marks of small messages


def extrapolated(data: Extrapolated) -> Figure:
    """The figure, with its content in words."""
    if not data.panels or not all(panel.times.x for panel in data.panels):
        raise FigureError("a panel without times", where=data.name, figure=data.name)
    curves = [curve for panel in data.panels for curve in panel.curves]
    with style():
        drawing, panels = new_panels([data.height_mm] * len(data.panels))
        for panel, shown in zip(panels, data.panels, strict=True):
            _draw(panel, shown, data.height_mm)
        panels[0].set_ylabel(data.label)
        settle_beside(drawing, panels, data.height_mm)
    n = counts([y for curve in curves if not curve.machine for y in curve.y] or curves[0].y, "repetitions", "bands")
    alt = f"{data.label} against message size, linear axes. {' '.join(map(_told, data.panels))}"
    return finish(Plot(data.name, drawing, panels, alt, n, keys_of(curves)))


def _draw(panel: Axes, shown: RayPanel, height_mm: float) -> None:
    panel.grid(visible=True)
    panel.set_title(shown.title, fontsize=SMALL_PT)
    look = {"color": shown.look.colour, "marker": shown.look.marker, "linestyle": "none"}
    look["markerfacecolor"] = "white" if shown.look.is_open else shown.look.colour
    for curve in shown.curves:
        values = [y.value for y in curve.y]
        panel.plot(curve.x, values, markersize=LARGE if curve is shown.small else 2.8, **look)  # type: ignore[arg-type]
    for ray in shown.rays:
        for ends, dashes in (((0.0, ray.low), (0, (3, 2))), ((ray.low, ray.high), "-")):
            panel.plot(ends, list(map(ray.at, ends)), color=INK, linewidth=0.9, linestyle=dashes, zorder=2.5)
    _axes(panel, shown)
    _name_feet(panel, shown, height_mm) if shown.most else _name_rates(panel, shown)


def _axes(panel: Axes, shown: RayPanel) -> None:
    most = shown.most or max(shown.times.x)
    values = [y.value for curve in shown.curves for x, y in zip(curve.x, curve.y, strict=True) if x <= most]
    values += [ray.at(min(x, most)) for ray in shown.rays for x in (0.0, ray.high)]
    low, high = min(0.0, *values), max(values)
    room, head = (NAMES * most, 0.05) if shown.most else (0.03 * most, HEAD)
    panel.set(xlim=(-room, 1.03 * most), ylim=(low * 1.05, high + head * (high - low)), xlabel="message size")
    for axis, ends in ((panel.xaxis, (0.0, most)), (panel.yaxis, (low, high))):
        ticks = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(*ends)
        axis.set_major_locator(FixedLocator([tick for tick in ticks if ends[0] <= tick <= ends[1]]))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{short(value)}B" if value else "0"))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: with_unit(value, "time") if value else "0"))


def _name_feet(panel: Axes, shown: RayPanel, height_mm: float) -> None:
    """Left of 0 bytes: what each line predicts there, and what the smallest message takes."""
    names = [(ray.at(0.0), f"{ray.intercept}\n{ray.sizes}") for ray in shown.rays]
    names += [(shown.small.y[0].value, shown.small_words)] if shown.small else []
    low, high = panel.get_ylim()
    gap = 2 * LINE_MM / height_mm * (high - low)
    panel.axvline(0.0, color=INK, linewidth=0.6)
    places = spread([value for value, _ in sorted(names)], gap, low + gap / 2, high - gap / 2)
    for (_, text), place in zip(sorted(names), places, strict=True):
        panel.text(-0.035 * shown.most, place, text, fontsize=SMALL_PT, ha="right", va="center", linespacing=1.0)


def _name_rates(panel: Axes, shown: RayPanel) -> None:
    """Above each line; the names of breaks go where no line passes."""
    (foot, top), small = panel.get_ylim(), {"fontsize": SMALL_PT}
    for ray in shown.rays:
        panel.text((ray.low + ray.high) / 2, top, f"{ray.rate}\n{ray.intercept}", small, ha="center", va="top")
    place, side = (foot, "bottom") if foot < 0 else (top / (1 + HEAD), "top")
    for words, at in shown.breaks:
        panel.axvline(at, color=GREY, linewidth=0.6, linestyle=(0, (1, 1.2)))
        panel.text(at, place, f" {words} ", small, rotation=90, ha="left", va=side)


def _told(shown: RayPanel) -> str:
    lines = [f"Line {ray.sizes}: {ray.rate}, {ray.intercept} at 0 B." for ray in shown.rays]
    breaks = [f"Break at {words}." for words, _ in shown.breaks]
    return " ".join([f"{shown.title}: {'; '.join(map(_ends, shown.curves))}.", *lines, *breaks])


def _ends(curve: Curve) -> str:
    first, last = (f"{with_unit(curve.y[at].value, 'time')} at {size(curve.x[at])}" for at in (0, -1))
    return f"{curve.label} {first} to {last}"
