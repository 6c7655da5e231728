"""The canvas that figures are drawn on: axes, curves, names, and the room that labels need."""

import io
from collections.abc import Callable, Sequence
from math import ceil, floor, frexp, log2, log10
from textwrap import fill
from typing import Any

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullFormatter
from matplotlib.transforms import Bbox

from lab.analysis.estimate import Interval
from lab.figures.figure import LEAST_INTERVAL, Curve, Name
from lab.figures.marks import INK, LINE_MM, SMALL_PT, size, with_unit
from lab.figures.style import MM_PER_INCH, PNG_DPI, WIDTH_MM, style

MOST_LABELS = 8  # of sizes below a panel; "256 KiB" and its neighbours then stay apart
ROOM = 1.25  # a logarithmic axis ends at this multiple of the data
BAND_ALPHA = 0.22
WIDEST_MM = 42.0  # a label beside its curve; longer ones leave the panel too little room
GAP_MM = 2.0  # between a panel and what is beside or below it
LETTERS_IN_LEGEND, MOST_COLUMNS = 80, 5
BETWEEN_MM = 2.0  # panels
LEFT_MM, TITLE_MM, FOOT_MM, ROW_GAP_MM, COLUMN_GAP_MM = 20.0, 5.5, 11.0, 4.0, 7.0  # of panels in rows
NAMELESS = {  # what a file says about its making, by format
    "pdf": ("CreationDate", "Creator", "Producer"),
    "png": ("Software",),
    "svg": ("Date", "Creator", "Format", "Type"),
}
EDGE_MM = 0.6  # around everything, so that no letter is cut

Words = Callable[[float], str]


def set_ticks(axis: Axis, places: Sequence[float], words: Words) -> None:
    axis.set_major_locator(FixedLocator(list(places)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: words(value)))
    axis.set_minor_locator(FixedLocator([]))


def size_axis(panel: Axes, sizes: Sequence[float], between: int = 0) -> None:
    """Message sizes: a tick at each power of two, and as many labels as fit, or one for each factor of `between`."""
    panel.set_xscale("log", base=2)
    first, last = _floor_log2(min(sizes)), -_floor_log2(1 / max(sizes))
    powers = [2.0**shift for shift in range(first, last + 1)]
    stride = _floor_log2(between) if between else _stride(last - first)
    set_ticks(panel.xaxis, powers[::stride], size)
    panel.xaxis.set_minor_locator(FixedLocator(powers))
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.set_xlim(min(sizes) / ROOM, max(sizes) * ROOM)
    panel.set_xlabel("message size")


def decades(low: float, high: float) -> list[float]:
    """Powers of ten; where there are fewer than three, 1, 2 and 5 of each; where even those are few, even steps."""
    powers = [10.0**power for power in range(floor(log10(low)), ceil(log10(high)) + 1)]
    tens = [power for power in powers if low <= power <= high]
    digits = [digit * power for power in powers for digit in (1, 2, 5)]
    return tens if len(tens) > 2 else _two_or_more(digits, low, high)


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The nearest places to these (ascending) that are at least a gap apart, within the limits where they all fit."""
    apart: list[float] = []
    for place in places:
        apart.append(max(place, low, apart[-1] + gap if apart else low))
    ceiling = high
    for index in reversed(range(len(apart))):
        apart[index] = min(apart[index], ceiling)
        ceiling = apart[index] - gap
    return apart


class Canvas:
    """A drawing of the printed width. A figure's data gets panels from it, draws on them, and settles the size."""

    drawing: Drawing
    panels: tuple[Axes, ...]
    patch = Patch  # a sample of a bar's look, for a legend
    size_axis = staticmethod(size_axis)
    ticks = staticmethod(set_ticks)
    decades, spread = staticmethod(decades), staticmethod(spread)

    @classmethod
    def render(cls, draw: "Callable[[Canvas], None]") -> tuple[bytes, bytes, bytes]:
        """The drawing as PDF, PNG and SVG, without the date and the program that made them."""
        with style():
            canvas = cls()
            draw(canvas)
            pdf, png = canvas.saved("pdf"), canvas.saved("png", dpi=PNG_DPI)
            with mpl.rc_context({"svg.fonttype": "none"}):  # letters that a page can search, scale and colour
                return pdf, png, canvas.saved("svg")

    def saved(self, kind: str, **options: Any) -> bytes:
        file = io.BytesIO()
        self.drawing.savefig(file, format=kind, metadata=dict.fromkeys(NAMELESS[kind]), **options)
        return file.getvalue()

    def panel(self, height_mm: float, *, grid: bool = False) -> Axes:
        (panel,) = self.panels_beside(1, height_mm)
        if grid:
            panel.grid(visible=True)
        return panel

    def panels_beside(self, count: int, height_mm: float) -> tuple[Axes, ...]:
        """Panels of one height; `settle_beside` puts several beside each other."""
        self.drawing = _new_drawing(count * height_mm)
        boxes = [(0.1, 1 - (place + 1) / count, 0.8, 1 / count) for place in range(count)]
        self.panels = tuple(self.drawing.add_axes(box, label=str(place)) for place, box in enumerate(boxes))
        return self.panels

    def panel_grid(self, rows: int, columns: int, height_mm: float, right_mm: float) -> list[tuple[Axes, ...]]:
        """Panels of one size in rows: labels on the left, at the foot, and titles on top; names may be on the right."""
        total = TITLE_MM + FOOT_MM + rows * (height_mm + ROW_GAP_MM) - ROW_GAP_MM
        width = (WIDTH_MM - LEFT_MM - right_mm + COLUMN_GAP_MM) / columns - COLUMN_GAP_MM
        self.drawing, grid = _new_drawing(total), []
        for row in range(rows):
            bottom = total - TITLE_MM - height_mm - row * (height_mm + ROW_GAP_MM)
            lefts = [LEFT_MM + column * (width + COLUMN_GAP_MM) for column in range(columns)]
            boxes = [(left / WIDTH_MM, bottom / total, width / WIDTH_MM, height_mm / total) for left in lefts]
            grid.append(tuple(self.drawing.add_axes(box, label=f"{row} {box[0]:g}") for box in boxes))
        self.panels = tuple(panel for panels in grid for panel in panels)
        return grid

    def value_axis(self, panel: Axes, low: float, high: float, kind: str) -> None:
        """A logarithmic y axis of values of this kind, with ticks at round ones."""
        panel.set(yscale="log", ylim=(low, high))
        powers_of_2 = [2.0**power for power in range(ceil(log2(low)), floor(log2(high)) + 1)]
        ticks = _two_or_more(powers_of_2, low, high) if kind == "ratio" else decades(low, high)
        set_ticks(panel.yaxis, ticks, lambda value: _value_words(value, kind))

    def round_ticks(self, axis: Axis, most: int, words: Words, **options: Any) -> None:
        """Ticks at round numbers, as matplotlib chooses them."""
        axis.set_major_locator(MaxNLocator(most, **options))
        self.label(axis, words)

    def inner_ticks(self, axis: Axis, low: float, high: float, words: Words) -> None:
        """Ticks at round numbers between two ends, where the axis itself is longer."""
        ticks = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high)
        set_ticks(axis, [tick for tick in ticks if low <= tick <= high], words)

    def label(self, axis: Axis, words: Words) -> None:
        axis.set_major_formatter(FuncFormatter(lambda value, _: words(value)))

    def named_rows(self, panel: Axes, places: Sequence[float], names: Sequence[str]) -> None:
        """Names at the rows of a panel in place of a scale."""
        panel.set_yticks(places, names)
        panel.tick_params(axis="y", length=0)
        panel.spines["left"].set_visible(False)

    def write(self, panel: Axes, text: str, place: tuple[float, float], right_pt: float, **more: Any) -> None:
        """Small words beside a place: on its right, or with a negative distance on its left."""
        side = {"ha": "left" if right_pt > 0 else "right", "va": "center", "fontsize": SMALL_PT}
        panel.annotate(text, place, (right_pt, 0), textcoords="offset points", **side | more)

    def limit(self, panel: Axes, label: str, value: float) -> Name:
        """Draw a bound that nobody measured, from side to side."""
        ends = panel.get_xlim()
        (line,) = panel.plot(ends, (value, value), color=INK, linestyle=(0, (6, 3)), linewidth=0.6, zorder=1)
        return Name(label, line, ends[1], value)

    def line(self, panel: Axes, curve: Curve) -> Name:
        """Draw a curve, with a band where its interval can be seen."""
        bands = [
            y.interval if y.interval and y.interval.width > LEAST_INTERVAL * y.value else Interval(y.value, y.value)
            for y in curve.y
        ]
        low, high = [band.low for band in bands], [band.high for band in bands]
        panel.fill_between(curve.x, low, high, color=curve.look.colour, alpha=BAND_ALPHA, linewidth=0)
        (line,) = panel.plot(curve.x, curve.values, **curve.look.style)
        return Name(curve.label, line, curve.x[-1], curve.values[-1])

    def name_series(self, names: Sequence[Name], height_mm: float) -> None:
        """Name all series of a drawing of one panel: beside their ends where the names fit, else in a legend."""
        widths = [self._width_mm(name.text) for name in names]
        if len(names) * LINE_MM <= height_mm and max(widths) <= WIDEST_MM:
            self.settle(height_mm, right_mm=max(widths) + 2 * GAP_MM)
            self.name_beside(self.panels[0], names)
        else:
            self.legend([(name.line, name.text) for name in names], height_mm)

    def name_beside(self, panel: Axes, names: Sequence[Name]) -> None:
        """Each name on the right of the panel, as near to its line's end as the others leave room."""
        ordered = sorted(names, key=lambda name: name.y)
        to_axes = panel.transData + panel.transAxes.inverted()
        ends = [float(to_axes.transform((panel.get_xlim()[1], name.y))[1]) for name in ordered]
        half, beside = LINE_MM / self.to_mm(panel.bbox.height) / 2, 1 + GAP_MM / self.to_mm(panel.bbox.width)
        for name, height in zip(ordered, spread(ends, 2 * half, half, 1 - half), strict=True):
            leader = {"arrowstyle": "-", "color": name.line.get_color(), "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0}
            panel.annotate(
                name.text,
                xy=(name.x, name.y),
                xytext=(beside, height),
                textcoords="axes fraction",
                va="center",
                fontsize=SMALL_PT,
                arrowprops=leader | {"relpos": (0, 0.5)},
                annotation_clip=False,
            )

    def legend(self, entries: Sequence[tuple[Artist, str]], height_mm: float) -> None:
        """Settle a drawing of one panel with a legend at its foot, in as many columns as fit."""
        texts = [fill(text, LETTERS_IN_LEGEND, break_long_words=True) for _, text in entries]
        handles = [handle for handle, _ in entries]
        for columns in range(min(len(entries), MOST_COLUMNS), 0, -1):
            legend = self.drawing.legend(
                handles, texts, loc="lower left", ncols=columns, mode=None, bbox_to_anchor=(0.0, 0.004)
            )
            extent = legend.get_window_extent(self.renderer)
            if columns == 1 or self.to_mm(extent.width) <= WIDTH_MM - GAP_MM:
                break
            legend.remove()
        self.settle(height_mm, below_mm=self.to_mm(extent.height) + GAP_MM)

    def settle(self, height_mm: float, right_mm: float = 0, below_mm: float = 0) -> None:
        """Give the only panel its height, and the drawing just enough room for labels.

        Constrained layout would do the same by drawing everything several times over.
        """
        (panel,) = self.panels
        room = self._room(panel)
        left, right = room.x0 + EDGE_MM, max(right_mm, room.x1) + EDGE_MM
        total = height_mm + (room.y0 + room.y1) + below_mm + 2 * EDGE_MM
        self.drawing.set_size_inches(WIDTH_MM / MM_PER_INCH, total / MM_PER_INCH)
        bottom = total - EDGE_MM - room.y1 - height_mm
        panel.set_position((left / WIDTH_MM, bottom / total, (WIDTH_MM - left - right) / WIDTH_MM, height_mm / total))

    def settle_beside(self, height_mm: float) -> None:
        """Give panels beside each other one height and one width, with just enough room for the labels of each."""
        rooms = [self._room(panel) for panel in self.panels]
        below, above = (max(getattr(room, side) for room in rooms) + EDGE_MM for side in ("y0", "y1"))
        free = WIDTH_MM - sum(room.x0 + room.x1 for room in rooms) - BETWEEN_MM * (len(rooms) - 1) - 2 * EDGE_MM
        total, width, left = height_mm + below + above, free / len(rooms), EDGE_MM
        self.drawing.set_size_inches(WIDTH_MM / MM_PER_INCH, total / MM_PER_INCH)
        for panel, room in zip(self.panels, rooms, strict=True):
            left += room.x0
            panel.set_position((left / WIDTH_MM, below / total, width / WIDTH_MM, height_mm / total))
            left += width + room.x1 + BETWEEN_MM

    @property
    def renderer(self) -> RendererAgg:
        """The renderer that measures text, for print and for the screen."""
        canvas = self.drawing.canvas
        assert isinstance(canvas, FigureCanvasAgg)
        renderer: RendererAgg = canvas.get_renderer()  # type: ignore[no-untyped-call]
        return renderer

    def to_mm(self, pixels: float) -> float:
        return pixels / self.drawing.dpi * MM_PER_INCH

    def _width_mm(self, text: str) -> float:
        probe = self.drawing.text(0, 0, text, fontsize=SMALL_PT)
        width = self.to_mm(probe.get_window_extent(self.renderer).width)
        probe.remove()
        return width

    def _room(self, panel: Axes) -> Bbox:
        """The room of a panel's labels on each side, in mm: left, below, right, above."""
        outer, inner = panel.get_tightbbox(self.renderer), panel.bbox
        assert outer is not None
        sides = (inner.x0 - outer.x0, inner.y0 - outer.y0, outer.x1 - inner.x1, outer.y1 - inner.y1)
        return Bbox.from_extents(*(self.to_mm(max(side, 0.0)) for side in sides))


def _new_drawing(height_mm: float) -> Drawing:
    drawing = Drawing(figsize=(WIDTH_MM / MM_PER_INCH, height_mm / MM_PER_INCH), dpi=PNG_DPI)
    FigureCanvasAgg(drawing)
    return drawing


def _two_or_more(ticks: list[float], low: float, high: float) -> list[float]:
    """Those within the range, or evenly spaced ones where these are fewer than two."""
    inside = [tick for tick in ticks if low <= tick <= high]
    even = MaxNLocator(4, steps=(1, 2, 2.5, 5, 10)).tick_values(low, high)
    return inside if len(inside) > 1 else [float(tick) for tick in even if low <= tick <= high]


def _value_words(value: float, kind: str) -> str:
    """`10 MB/s`, `200 ns`, `1/4`."""
    if kind == "ratio":
        return f"1/{1 / value:g}" if value < 1 and log2(value).is_integer() else f"{value:g}"
    return with_unit(value, kind)


def _stride(steps: int) -> int:
    """The least stride with few enough labels, or up to twice that where the last tick then has one too."""
    least = steps // MOST_LABELS + 1
    return next((stride for stride in range(least, 2 * least + 1) if steps % stride == 0), least)


def _floor_log2(value: float) -> int:
    return frexp(value)[1] - 1
