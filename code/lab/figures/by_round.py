"""Rates against the number of their round, off the median of the last ones, with the band of the stop rule."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from lab.figures.curves import check_curves, keys_of
from lab.figures.figure import Figure
from lab.figures.inputs import ByRound, Curve, LineLook
from lab.figures.labels import add_legend, legend_mm
from lab.figures.marks import INK, PALE
from lab.figures.plot import Plot, finish, new_panels, settle
from lab.figures.sized import DASHES
from lab.figures.style import style
from lab.figures.words import THIN_SPACE, number

HEIGHT_MM = 42.0
PERCENT = 100.0


def by_round(data: ByRound) -> Figure:
    """The figure, with its content in words."""
    check_curves(data.name, data.curves)
    with style():
        drawing, (panel,) = new_panels([HEIGHT_MM])
        most = max(x for curve in data.curves for x in curve.x)
        panel.set(xlim=(0.5, most + 0.5), xlabel="round", ylabel="off the last median")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _percent(value)))
        panel.axhspan(-data.band / 2 * PERCENT, data.band / 2 * PERCENT, color=PALE, linewidth=0)
        panel.axhline(0.0, color=INK, linewidth=0.5, zorder=1.5)
        lines = [_draw(panel, curve, look) for curve, look in zip(data.curves, data.looks, strict=True)]
        legend = add_legend(drawing, lines)  # beside its last point a name would prolong the line of a short curve
        settle(drawing, [panel], [HEIGHT_MM], below_mm=legend_mm(drawing, legend))
    return finish(Plot(data.name, drawing, (panel,), _alt(data), "one repetition", keys_of(data.curves)))


def _off(curve: Curve) -> list[float]:
    return [PERCENT * (y.value - 1) for y in curve.y]


def _percent(value: float) -> str:
    return f"{value:+g}{THIN_SPACE}%".replace("-", "\N{MINUS SIGN}").replace("+0", "0")


def _draw(panel: Axes, curve: Curve, look: LineLook) -> tuple[Line2D, str]:
    (line,) = panel.plot(curve.x, _off(curve), color=look.colour, linestyle=DASHES[look.dashes], marker=look.marker)
    line.set(markerfacecolor="white" if look.is_open else look.colour)
    return line, curve.label


def _alt(data: ByRound) -> str:
    told = "; ".join(
        f"{curve.label} {len(curve.x)} rounds, from {number(min(_off(curve)))} to {number(max(_off(curve)))} %"
        for curve in data.curves
    )
    return f"Throughput of each round off the median of the last ones: {told}. The rule asks for {data.band:.0%}."
