"""Stacked bars: where the instructions of a message go, for each size, transport and end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, count

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from lab.figures.errors import FigureError
from lab.figures.figure import Figure
from lab.figures.inputs import Stack, Stacks
from lab.figures.labels import add_legend, legend_mm
from lab.figures.marks import COLOURS, GREY, INK, PALE
from lab.figures.plot import Plot, finish, new_panels, settle
from lab.figures.style import SMALL_PT, style
from lab.figures.words import plain, size, whole

ROW_MM, GAP_ROWS = 4.0, 1.3  # of a bar, and between two groups: room for a size
BAR, WHITE, EDGE_PT = 0.78, "#ffffff", 0.3  # of a row's height
# The same seven colours hatched, for as many kinds more.
HATCHES = ("", "//////")


def stacks(data: Stacks) -> Figure:
    """Bars from zero, the parts in the order of the legend."""
    return finish(draw_stacks(data))


def draw_stacks(data: Stacks) -> Plot:
    """Each group has a scale of its own: a message of a megabyte costs a thousand times one of a byte."""
    _check(data)
    rows = [(place, top, stack) for place, top, stack in _rows(data)]
    height = (rows[-1][0] + 1.9) * ROW_MM
    with style():
        drawing, (panel,) = new_panels([height])
        for place, top, stack in rows:
            _draw(panel, data, place, top, stack)
        _label(panel, data, rows)
        patches = [(_patch(data, kind), kind) for kind in data.kinds]
        legend = add_legend(drawing, patches)
        settle(drawing, [panel], [height], below_mm=legend_mm(drawing, legend))
    return Plot(data.name, drawing, (panel,), _alt(data), "n = 1 count, which gives the same each time", data.keys)


def _check(data: Stacks) -> None:
    if not any(group for _, group in data.groups):
        raise FigureError("a figure of bars without a bar", where=data.name, figure=data.name)
    if any(_length(stack) <= 0 for _, group in data.groups for stack in group):
        raise FigureError("a bar that is not above 0", where=data.name, figure=data.name)


def _length(stack: Stack) -> float:
    return sum(max(value, 0.0) for _, value in stack.parts)


def _rows(data: Stacks) -> Iterator[tuple[float, float, Stack]]:
    """The bars from top to bottom, each with its place and the longest of its group."""
    place = 0.0
    for _, group in data.groups:
        for stack in group:
            yield place, max(map(_length, group)), stack
            place += 1
        place += GAP_ROWS


def _draw(panel: Axes, data: Stacks, place: float, longest: float, stack: Stack) -> None:
    values = [max(dict(stack.parts).get(kind, 0.0), 0.0) / longest for kind in data.kinds]
    for kind, start, width in zip(data.kinds, accumulate(values, initial=0.0), values, strict=False):
        colour, hatch = _look(data, kind)
        panel.barh(place, width, BAR, start, facecolor=colour, hatch=hatch, edgecolor=WHITE, linewidth=EDGE_PT)
    panel.text(1.012, place, whole(stack.work), va="center", fontsize=SMALL_PT, color=INK)


def _patch(data: Stacks, kind: str) -> Patch:
    colour, hatch = _look(data, kind)
    return Patch(facecolor=colour, hatch=hatch, edgecolor=WHITE, linewidth=EDGE_PT)


def _look(data: Stacks, kind: str) -> tuple[str, str]:
    """Colour and hatch."""
    if kind == data.rest:
        return PALE, ""
    place = data.kinds.index(kind)
    return (*COLOURS[:-1], GREY)[place % len(COLOURS)], HATCHES[place // len(COLOURS)]


def _label(panel: Axes, data: Stacks, rows: list[tuple[float, float, Stack]]) -> None:
    panel.set(xlim=(0, 1), ylim=(rows[-1][0] + 0.6, -1.3), xlabel="time of a message, the longest of its size = 1")
    panel.set_yticks([place for place, _, _ in rows], [stack.label for _, _, stack in rows])
    panel.tick_params(axis="y", length=0)
    panel.spines["left"].set_visible(False)
    panel.text(1.012, rows[0][0] - 0.85, "instructions", va="center", fontsize=SMALL_PT)
    places = count()
    for x, group in data.groups:
        first = rows[next(places)][0]
        for _ in group[1:]:
            next(places)
        panel.text(0, first - 0.85, f"messages of {size(x)}", va="center", fontsize=SMALL_PT)


def _alt(data: Stacks) -> str:
    said = [f"{plain(size(x))}, {_said(data, stack)}" for x, group in data.groups for stack in group]
    return f"Stacked bars of the instructions of one message by kind of work on {data.site}: {'; '.join(said)}."


def _said(data: Stacks, stack: Stack) -> str:
    most = max((each for each in stack.parts if each[0] != data.rest), key=lambda each: each[1])[0]
    return f"{stack.label}: {plain(whole(stack.work))} instructions, most for {most}"
