"""Bars of one scale, each the parts of a time: what is assumed is hatched, and what the parts leave ends the bar."""

from __future__ import annotations

from itertools import accumulate

from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from lab.figures.errors import FigureError
from lab.figures.figure import Figure
from lab.figures.inputs import Parts
from lab.figures.labels import add_legend, legend_mm
from lab.figures.marks import COLOURS, GREY, PALE, RDMA
from lab.figures.plot import Plot, finish, new_panels, settle
from lab.figures.sized import with_unit
from lab.figures.style import SMALL_PT, style

ROW_MM, BAR = 6.0, 0.72  # of a bar with its room, and of a row's height
# They differ from their neighbours in grey, too; the part that is left has the colour of what is measured.
FILLS = ("#4d4d4d", COLOURS[2], PALE, GREY, COLOURS[3], COLOURS[5])
ASSUMED, WHITE, EDGE_PT = "////", "#ffffff", 0.4
ROOM = 1.12  # of the longest bar: at its right stands the whole


def parts(data: Parts) -> Figure:
    """The figure, with its content in words."""
    if any(value < 0 for _, values in data.bars for value in values):
        raise FigureError("the parts are more than the whole", where=data.name, figure=data.name)
    height = (len(data.bars) + 0.4) * ROW_MM
    with style():
        drawing, (panel,) = new_panels([height])
        for place, (_, values) in enumerate(data.bars):
            _draw(panel, data, place, values)
        _axes(panel, data)
        legend = add_legend(drawing, [(_patch(data, at), _name(data, at)) for at in range(len(data.kinds))])
        settle(drawing, [panel], [height], below_mm=legend_mm(drawing, legend))
    return finish(Plot(data.name, drawing, (panel,), _alt(data), f"n = {len(data.bars)} bars", data.keys))


def _draw(panel: Axes, data: Parts, place: int, values: tuple[float, ...]) -> None:
    for at, (start, width) in enumerate(zip(accumulate(values, initial=0.0), values, strict=False)):
        colour, hatch = _look(data, at)
        panel.barh(place, width, BAR, start, facecolor=colour, hatch=hatch, edgecolor=WHITE, linewidth=EDGE_PT)
    whole = with_unit(sum(values), "time")
    panel.annotate(whole, (sum(values), place), (4, 0), textcoords="offset points", va="center", fontsize=SMALL_PT)


def _patch(data: Parts, at: int) -> Patch:
    colour, hatch = _look(data, at)
    return Patch(facecolor=colour, hatch=hatch, edgecolor=WHITE, linewidth=EDGE_PT)


def _look(data: Parts, at: int) -> tuple[str, str]:
    """Colour and hatch."""
    _, is_assumed = data.kinds[at]
    colour = RDMA if at == len(data.kinds) - 1 else FILLS[at % len(FILLS)]
    return colour, ASSUMED if is_assumed else ""


def _name(data: Parts, at: int) -> str:
    name, is_assumed = data.kinds[at]
    return f"{name} (assumed)" if is_assumed else name


def _axes(panel: Axes, data: Parts) -> None:
    longest = max(sum(values) for _, values in data.bars)
    panel.set(xlim=(0, longest * ROOM), ylim=(len(data.bars) - 0.4, -0.6), xlabel=data.label)
    panel.set_yticks(range(len(data.bars)), [name for name, _ in data.bars])
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: with_unit(value, "time") if value else "0"))
    panel.tick_params(axis="y", length=0)
    panel.spines["left"].set_visible(False)


def _alt(data: Parts) -> str:
    return f"{data.label.capitalize()}, in parts: {'; '.join(_told(data, *bar) for bar in data.bars)}."


def _told(data: Parts, name: str, values: tuple[float, ...]) -> str:
    shown = [f"{_name(data, at)} {with_unit(value, 'time')}" for at, value in enumerate(values) if value]
    return f"{name} {with_unit(sum(values), 'time')}: {', '.join(shown)}"
