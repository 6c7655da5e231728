"""Fitted lines continued past their points, rounds, and tails of latencies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from lab.figures.curves import DASHES, check_curves, keys_of, with_unit
from lab.figures.inputs import (
    ByRound,
    Curve,
    Distribution,
    Extrapolated,
    Figure,
    FigureError,
    LineLook,
    RayPanel,
    Tails,
)
from lab.figures.marks import GREY, INK, PALE, THIN_SPACE, counts, number, short, size
from lab.figures.plot import (
    LINE_MM,
    Name,
    Plot,
    add_legend,
    finish,
    legend_mm,
    name_series,
    new_panels,
    settle,
    settle_beside,
    spread,
)
from lab.figures.style import SMALL_PT, style

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


ROUNDS_HEIGHT_MM = 42.0
PERCENT = 100.0


def by_round(data: ByRound) -> Figure:
    """The figure, with its content in words."""
    check_curves(data.name, data.curves)
    with style():
        drawing, (panel,) = new_panels([ROUNDS_HEIGHT_MM])
        most = max(x for curve in data.curves for x in curve.x)
        panel.set(xlim=(0.5, most + 0.5), xlabel="round", ylabel="off the last median")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _percent(value)))
        panel.axhspan(-data.band / 2 * PERCENT, data.band / 2 * PERCENT, color=PALE, linewidth=0)
        panel.axhline(0.0, color=INK, linewidth=0.5, zorder=1.5)
        lines = [_draw_rounds(panel, curve, look) for curve, look in zip(data.curves, data.looks, strict=True)]
        legend = add_legend(drawing, lines)  # beside its last point a name would prolong the line of a short curve
        settle(drawing, [panel], [ROUNDS_HEIGHT_MM], below_mm=legend_mm(drawing, legend))
    return finish(Plot(data.name, drawing, (panel,), _rounds_alt(data), "one repetition", keys_of(data.curves)))


def _off(curve: Curve) -> list[float]:
    return [PERCENT * (y.value - 1) for y in curve.y]


def _percent(value: float) -> str:
    return f"{value:+g}{THIN_SPACE}%".replace("-", "\N{MINUS SIGN}").replace("+0", "0")


def _draw_rounds(panel: Axes, curve: Curve, look: LineLook) -> tuple[Line2D, str]:
    (line,) = panel.plot(curve.x, _off(curve), color=look.colour, linestyle=DASHES[look.dashes], marker=look.marker)
    line.set(markerfacecolor="white" if look.is_open else look.colour)
    return line, curve.label


def _rounds_alt(data: ByRound) -> str:
    told = "; ".join(
        f"{curve.label} {len(curve.x)} rounds, from {number(min(_off(curve)))} to {number(max(_off(curve)))} %"
        for curve in data.curves
    )
    return f"Throughput of each round off the median of the last ones: {told}. The rule asks for {data.band:.0%}."


TAILS_HEIGHT_MM = 52.0
LAST = 0.99  # a trial has too few samples to say more
TICKS = (0.5, 0.75, 0.9, 0.95, 0.98, LAST)
TOLD = (0.9, 0.95, LAST)
SHARES = [1 - thousandth / 1000 for thousandth in range(500, 9, -1)]


def tails(data: Tails) -> Figure:
    """The figure, with its content in words."""
    with style():
        drawing, (panel,) = new_panels([TAILS_HEIGHT_MM])
        panel.grid(visible=True)
        names = [_draw_tails(panel, *drawn) for drawn in zip(data.distributions, data.looks, strict=True)]
        _tails_axes(panel)
        name_series(drawing, panel, names, TAILS_HEIGHT_MM)
    n = min(len(each.samples) for each in data.distributions)
    plot = Plot(data.name, drawing, (panel,), _tails_alt(data), f"n = {n} samples or more", keys_of(data.distributions))
    return finish(plot)


def _draw_tails(panel: Axes, of: Distribution, look: LineLook) -> Name:
    times = _over_median(of, SHARES)
    places = [1 / (1 - share) for share in SHARES]
    (line,) = panel.step(places, times, color=look.colour, linestyle=DASHES[look.dashes], where="post")
    line.set(marker=look.marker, markevery=[-1], markerfacecolor="white" if look.is_open else look.colour)
    return Name(of.label, line, places[-1], times[-1])


def _over_median(of: Distribution, shares: Sequence[float]) -> list[float]:
    """For each share the shortest sample that so many are at most as long as, over the median."""
    samples = np.asarray(of.samples, dtype=np.float64)
    quantiles = np.quantile(samples, shares, method="inverted_cdf") / np.median(samples)
    return [float(quantile) for quantile in quantiles]


def _tails_axes(panel: Axes) -> None:
    panel.set(xscale="log", xlim=(2, 1 / (1 - LAST)), ylim=(0.97, None))
    panel.xaxis.set_major_locator(FixedLocator([1 / (1 - tick) for tick in TICKS]))
    panel.xaxis.set_minor_locator(FixedLocator([]))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * (1 - 1 / value):.0f} %"))
    panel.set(xlabel="share of the messages that take at most so long", ylabel="time over the median")


def _tails_alt(data: Tails) -> str:
    told = "; ".join(map(_tails_told, data.distributions))
    return f"Time over the median against the share of the messages that take at most so long: {told}."


def _tails_told(of: Distribution) -> str:
    quantiles = zip(TOLD, _over_median(of, TOLD), strict=True)
    return f"{of.label} {', '.join(f'{value:.3g} at {100 * share:.0f} %' for share, value in quantiles)}"
