"""Stacked bars: parts of a time, and instructions by kind of work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, count

from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter
from rich.bar import Bar
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from lab.analysis.estimate import Estimate
from lab.figures.curves import check_curves, with_unit
from lab.figures.inputs import Curve, Figure, FigureError, LineLook, Parts, Sized, Stack, Stacks
from lab.figures.marks import COLOURS, GREY, INK, PALE, RDMA, plain, size, whole
from lab.figures.plot import Plot, add_legend, finish, legend_mm, new_panels, settle
from lab.figures.style import SMALL_PT, style

SHORTEST = 8  # letters that are still a bar


@dataclass(frozen=True)
class Length:
    """A share of the column's width, in blocks; in letters of ASCII where the encoding has no blocks."""

    share: float
    colour: str

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if options.ascii_only:
            yield Text("#" * round(self.share * options.max_width))
        else:
            yield Bar(1.0, 0.0, self.share, color=self.colour)

    def __rich_measure__(self, _: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(SHORTEST, options.max_width)


def bars(data: Sized) -> Table:
    """The rates of all series, size by size; the longest bar fills its column."""
    check_curves(data.name, data.curves)
    table = Table("", "", box=None, pad_edge=False, expand=True, show_header=False)
    table.add_column(ratio=1, min_width=SHORTEST)
    table.add_column(justify="right", no_wrap=True)
    most = max(each.value for curve in data.curves for each in curve.y)
    for x in sorted({x for curve in data.curves for x in curve.x}):
        label = plain(size(x))
        for look, curve, rate in _at(data, x):
            length = Length(rate.value / most, look.colour)
            table.add_row(Text(label), Text(curve.label), length, Text(plain(with_unit(rate.value, data.kind))))
            label = ""
    return table


def _at(data: Sized, x: float) -> Iterator[tuple[LineLook, Curve, Estimate]]:
    """The curves that have this size, each with its look and its rate."""
    for curve, look in zip(data.curves, data.looks, strict=True):
        for there, rate in zip(curve.x, curve.y, strict=True):
            if there == x:
                yield look, curve, rate


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


PART_ROW_MM, PART_BAR = 6.0, 0.72  # of a bar with its room, and of a row's height
# They differ from their neighbours in grey, too; the part that is left has the colour of what is measured.
FILLS = ("#4d4d4d", COLOURS[2], PALE, GREY, COLOURS[3], COLOURS[5])
ASSUMED, PART_EDGE_PT = "////", 0.4
ROOM = 1.12  # of the longest bar: at its right stands the whole


def parts(data: Parts) -> Figure:
    """The figure, with its content in words."""
    if any(value < 0 for _, values in data.bars for value in values):
        raise FigureError("the parts are more than the whole", where=data.name, figure=data.name)
    height = (len(data.bars) + 0.4) * PART_ROW_MM
    with style():
        drawing, (panel,) = new_panels([height])
        for place, (_, values) in enumerate(data.bars):
            _draw_parts(panel, data, place, values)
        _axes(panel, data)
        legend = add_legend(drawing, [(_part_patch(data, at), _name(data, at)) for at in range(len(data.kinds))])
        settle(drawing, [panel], [height], below_mm=legend_mm(drawing, legend))
    return finish(Plot(data.name, drawing, (panel,), _parts_alt(data), f"n = {len(data.bars)} bars", data.keys))


def _draw_parts(panel: Axes, data: Parts, place: int, values: tuple[float, ...]) -> None:
    for at, (start, width) in enumerate(zip(accumulate(values, initial=0.0), values, strict=False)):
        colour, hatch = _part_look(data, at)
        panel.barh(
            place, width, PART_BAR, start, facecolor=colour, hatch=hatch, edgecolor=WHITE, linewidth=PART_EDGE_PT
        )
    whole = with_unit(sum(values), "time")
    panel.annotate(whole, (sum(values), place), (4, 0), textcoords="offset points", va="center", fontsize=SMALL_PT)


def _part_patch(data: Parts, at: int) -> Patch:
    colour, hatch = _part_look(data, at)
    return Patch(facecolor=colour, hatch=hatch, edgecolor=WHITE, linewidth=PART_EDGE_PT)


def _part_look(data: Parts, at: int) -> tuple[str, str]:
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


def _parts_alt(data: Parts) -> str:
    return f"{data.label.capitalize()}, in parts: {'; '.join(_told(data, *bar) for bar in data.bars)}."


def _told(data: Parts, name: str, values: tuple[float, ...]) -> str:
    shown = [f"{_name(data, at)} {with_unit(value, 'time')}" for at, value in enumerate(values) if value]
    return f"{name} {with_unit(sum(values), 'time')}: {', '.join(shown)}"
