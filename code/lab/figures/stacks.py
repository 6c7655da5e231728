"""Bars: rates in a terminal, parts of a time, and instructions by kind of work."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rich.bar import Bar
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from lab.errors import LabError
from lab.figures import Axes, Canvas
from lab.figures.curves import Sized
from lab.figures.figure import Look
from lab.figures.marks import COLOURS, GREY, INK, PALE, RDMA, SMALL_PT, plain, size, whole, with_unit

SHORTEST = 8  # letters of a bar's column
WHITE = "#ffffff"
ROW_MM, GAP_ROWS, BAR, EDGE_PT = 4.0, 1.3, 0.78, 0.3  # of a stack: a row, the rows between two groups, its share
HATCHES = ("", "//////")  # of the same seven colours, for as many kinds more
PART_ROW_MM, PART_BAR, PART_EDGE_PT = 6.0, 0.72, 0.4  # of a bar of parts
# Neighbours differ in grey, too; the rest of the time has the colour of measured data.
FILLS = ("#4d4d4d", COLOURS[2], PALE, GREY, COLOURS[3], COLOURS[5])
ASSUMED = "////"
ROOM = 1.12  # of the longest bar: at its right is the whole


@dataclass(frozen=True)
class Length:
    """A bar of a share of the column's width, in ASCII letters if the encoding has no blocks."""

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
    """The rates of all series by size, for a terminal; the longest bar fills its column."""
    table = Table("", "", box=None, pad_edge=False, expand=True, show_header=False)
    table.add_column(ratio=1, min_width=SHORTEST)
    table.add_column(justify="right", no_wrap=True)
    most = max(value for curve in data.curves for value in curve.values)
    for x in sorted({x for curve in data.curves for x in curve.x}):
        label = plain(size(x))
        for curve in data.curves:
            if x in curve.x:
                rate = curve.values[curve.x.index(x)]
                words = Text(plain(with_unit(rate, data.kind)))
                table.add_row(Text(label), Text(curve.label), Length(rate / most, curve.look.colour), words)
                label = ""
    return table


def _draw_bar(panel: Axes, place: float, height: float, widths: Sequence[float], looks: Sequence[Look]) -> None:
    for width, start, look in zip(widths, accumulate(widths, initial=0.0), looks, strict=False):
        panel.barh(place, width, height, start, **look)


@dataclass(frozen=True)
class Stack:
    """A bar: its parts by kind of work, in instructions of one message."""

    label: str
    parts: tuple[tuple[str, float], ...]

    @property
    def length(self) -> float:
        return sum(max(value, 0.0) for _, value in self.parts)

    def work(self, rest: str) -> str:
        """The sum without the rest, which is printed beside the bar; by chance a difference of two runs is below 0."""
        return whole(max(sum(value for kind, value in self.parts if kind != rest), 0.0))


@dataclass(frozen=True)
class Stacks:
    """Bars in groups, a group for each message size in bytes; the longest bar of each group fills the width, since a
    message of a megabyte costs a thousand times as much as a byte."""

    name: str
    groups: tuple[tuple[float, tuple[Stack, ...]], ...]
    kinds: tuple[str, ...]  # of all parts, in their order
    rest: str  # the kind that is not work
    site: str

    @property
    def alt(self) -> str:
        stacks = [f"{plain(size(x))}, {self._words(stack)}" for x, group in self.groups for stack in group]
        return f"Stacked bars of the instructions of one message by kind of work on {self.site}: {'; '.join(stacks)}."

    def _words(self, stack: Stack) -> str:
        most, _ = max((part for part in stack.parts if part[0] != self.rest), key=lambda part: part[1])
        return f"{stack.label}: {plain(stack.work(self.rest))} instructions, most for {most}"

    def draw(self, canvas: Canvas) -> None:
        rows, heads, place = list[tuple[float, float, Stack]](), list[tuple[float, str]](), 0.0
        for x, group in self.groups:
            heads.append((place, f"messages of {size(x)}"))
            longest = max(stack.length for stack in group)
            rows += [(place + at, longest, stack) for at, stack in enumerate(group)]
            place += len(group) + GAP_ROWS
        last, _, _ = rows[-1]
        height = (last + 1.9) * ROW_MM
        panel, looks = canvas.panel(height), [self._look(at, kind) for at, kind in enumerate(self.kinds)]
        for place, longest, stack in rows:
            values = [max(dict(stack.parts).get(kind, 0.0), 0.0) / longest for kind in self.kinds]
            _draw_bar(panel, place, BAR, values, looks)
            panel.text(1.012, place, stack.work(self.rest), va="center", fontsize=SMALL_PT, color=INK)
        panel.set(xlim=(0, 1), ylim=(last + 0.6, -1.3), xlabel="time of a message, the longest of its size = 1")
        canvas.named_rows(panel, [place for place, *_ in rows], [stack.label for *_, stack in rows])
        panel.text(1.012, rows[0][0] - 0.85, "instructions", va="center", fontsize=SMALL_PT)
        for place, head in heads:
            panel.text(0, place - 0.85, head, va="center", fontsize=SMALL_PT)
        patches = [canvas.patch(**look) for look in looks]
        canvas.legend(list(zip(patches, self.kinds, strict=True)), height)

    def _look(self, place: int, kind: str) -> Look:
        edge = {"edgecolor": WHITE, "linewidth": EDGE_PT}
        if kind == self.rest:
            return {"facecolor": PALE, "hatch": ""} | edge
        colour = (*COLOURS[:-1], GREY)[place % len(COLOURS)]
        return {"facecolor": colour, "hatch": HATCHES[place // len(COLOURS)]} | edge


@dataclass(frozen=True)
class Parts:
    """Times (s) as bars with a name and parts; the last part is the rest of the whole."""

    name: str
    label: str  # of the axis
    kinds: tuple[tuple[str, bool], ...]  # the name of a part, and whether it is assumed
    bars: tuple[tuple[str, tuple[float, ...]], ...]

    @property
    def kind_names(self) -> list[str]:
        return [f"{kind} (assumed)" if is_assumed else kind for kind, is_assumed in self.kinds]

    @property
    def alt(self) -> str:
        return f"{self.label.capitalize()}, in parts: {'; '.join(self._words(*bar) for bar in self.bars)}."

    def _words(self, name: str, values: tuple[float, ...]) -> str:
        parts = zip(self.kind_names, values, strict=True)
        shown = ", ".join(f"{kind} {with_unit(value, 'time')}" for kind, value in parts if value)
        return f"{name} {with_unit(sum(values), 'time')}: {shown}"

    def draw(self, canvas: Canvas) -> None:
        if any(value < 0 for _, values in self.bars for value in values):
            raise LabError("the parts are more than the whole", where=self.name)
        height = (len(self.bars) + 0.4) * PART_ROW_MM
        panel, looks = canvas.panel(height), [self._look(place) for place in range(len(self.kinds))]
        for place, (_, values) in enumerate(self.bars):
            _draw_bar(panel, place, PART_BAR, values, looks)
            canvas.write(panel, with_unit(sum(values), "time"), (sum(values), place), 4)
        longest = max(sum(values) for _, values in self.bars)
        panel.set(xlim=(0, longest * ROOM), ylim=(len(self.bars) - 0.4, -0.6), xlabel=self.label)
        canvas.named_rows(panel, range(len(self.bars)), [name for name, _ in self.bars])
        canvas.label(panel.xaxis, lambda value: with_unit(value, "time") if value else "0")
        patches = [canvas.patch(**look) for look in looks]
        canvas.legend(list(zip(patches, self.kind_names, strict=True)), height)

    def _look(self, place: int) -> Look:
        colour = RDMA if place == len(self.kinds) - 1 else FILLS[place % len(FILLS)]
        hatch = ASSUMED if self.kinds[place][1] else ""
        return {"facecolor": colour, "hatch": hatch, "edgecolor": WHITE, "linewidth": PART_EDGE_PT}
