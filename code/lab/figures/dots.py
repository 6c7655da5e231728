"""A dot plot: a row for each thing, with a dot at its time and a line to what the slow ones take."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter

from lab.figures.figure import Figure
from lab.figures.inputs import Dot, Dots
from lab.figures.marks import PALE
from lab.figures.plot import Plot, finish, new_panels, settle
from lab.figures.sized import decades, with_unit
from lab.figures.style import SMALL_PT, TEXT_PT, style

ROW_MM = 5.2
ROOM_BELOW, ROOM_ABOVE = 1.2, 2.7  # times that the axis goes on: below to a round number, above for the last value
DOT_PT, LINE_PT = 5.5, 2.2


def dots(data: Dots) -> Figure:
    """The figure, with its content in words."""
    rows = list(_rows(data))
    height = (len(rows) + 0.6) * ROW_MM
    with style():
        drawing, (panel,) = new_panels([height])
        _axes(panel, data, rows)
        for place, row in enumerate(rows):
            if isinstance(row, Dot):
                _draw(panel, place, row)
            else:
                panel.text(0, place, row, transform=panel.get_yaxis_transform(), va="center", fontsize=TEXT_PT)
        settle(drawing, [panel], [height])
    n = min(row.value.n for row in rows if isinstance(row, Dot))
    return finish(Plot(data.name, drawing, (panel,), _alt(data), f"n = {n} repetitions or more", data.keys))


def _rows(data: Dots) -> Iterator[Dot | str]:
    """The rows from top to bottom; the heading of each group above its rows."""
    for heading, group in data.groups:
        yield heading
        yield from group


def _axes(panel: Axes, data: Dots, rows: list[Dot | str]) -> None:
    shown = [row for row in rows if isinstance(row, Dot)]
    least = min(row.value.value for row in shown)
    low = decades(least / 10, least / ROOM_BELOW)[-1]
    high = max(row.end or row.value.value for row in shown) * ROOM_ABOVE
    panel.set(xscale="log", xlim=(low, high), ylim=(len(rows) - 0.3, -0.8), xlabel=data.label)
    panel.xaxis.set_major_locator(FixedLocator(decades(low, high)))
    panel.xaxis.set_minor_locator(FixedLocator([]))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: with_unit(value, "time")))
    places = [place for place, row in enumerate(rows) if isinstance(row, Dot)]
    panel.set_yticks(places, [row.label for row in shown])
    panel.tick_params(axis="y", length=0)
    panel.spines["left"].set_visible(False)
    panel.grid(visible=True, axis="x")
    panel.hlines(places, low, [row.value.value for row in shown], color=PALE, linewidth=0.6, linestyle=(0, (1, 2)))


def _draw(panel: Axes, place: int, row: Dot) -> None:
    value, end = row.value.value, row.end or row.value.value
    panel.plot([value, end], [place, place], color=row.look.colour, linewidth=LINE_PT, solid_capstyle="butt")
    (dot,) = panel.plot([value], [place], color=row.look.colour, marker=row.look.marker, markersize=DOT_PT)
    dot.set(markerfacecolor="white" if row.look.is_open else row.look.colour)
    panel.annotate(_told(row), (end, place), (5, 0), textcoords="offset points", va="center", fontsize=SMALL_PT)


def _alt(data: Dots) -> str:
    told = "; ".join(
        f"{heading}: {', '.join(f'{row.label} {_told(row)}' for row in group)}" for heading, group in data.groups
    )
    return f"{data.label.capitalize()}, the axis logarithmic: {told}."


def _told(row: Dot) -> str:
    end = f" to {with_unit(row.end, 'time')}" if row.end else ""
    return f"{with_unit(row.value.value, 'time')}{end}"
