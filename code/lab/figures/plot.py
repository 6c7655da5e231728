"""Axes, scales and labels, shared by all drawers."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from textwrap import fill

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure as Drawing
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter
from matplotlib.transforms import Bbox

from lab.figures.inputs import Figure
from lab.figures.marks import short, size
from lab.figures.style import MM_PER_INCH, PNG_DPI, SMALL_PT, WIDTH_MM, style

MOST_LABELS = 8  # of sizes below a panel; "256 KiB" and its neighbours then stay apart
LEAST_LABELS = 4
MANTISSAS = ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8), tuple(each / 10 for each in range(10, 100)))
ROOM = 1.25  # a logarithmic axis ends at this multiple of the data


def size_axis(panel: Axes, sizes: Sequence[float], between: int = 0) -> None:
    """Message sizes: a tick at each power of two, labels at as many as fit, or each a given factor from the last."""
    panel.set_xscale("log", base=2)
    first, last = floor_log2(min(sizes)), -floor_log2(1 / max(sizes))
    shifts = range(first, last + 1)
    stride = floor_log2(between) if between else _stride(last - first)
    _label(panel.xaxis, [2.0**shift for shift in shifts[::stride]], size)
    panel.xaxis.set_minor_locator(FixedLocator([2.0**shift for shift in shifts]))
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.set_xlim(min(sizes) / ROOM, max(sizes) * ROOM)
    panel.set_xlabel("message size")


def log_axis(axis: Axis, values: Sequence[float]) -> None:
    """Positive values: decades, and where there are few, also 2 and 5 of each."""
    low, high = min(values) / ROOM, max(values) * ROOM
    inside = next((ticks for each in MANTISSAS if len(ticks := _ticks(low, high, each)) >= LEAST_LABELS), [])
    if axis is axis.axes.xaxis:
        axis.axes.set(xscale="log", xlim=(low, high))
    else:
        axis.axes.set(yscale="log", ylim=(low, high))
    _label(axis, inside[:: ceil(len(inside) / MOST_LABELS)], short)
    axis.set_minor_locator(FixedLocator([]))


def _ticks(low: float, high: float, mantissas: Sequence[float]) -> list[float]:
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    ticks = (mantissa * 10.0**power for power in powers for mantissa in mantissas)
    return [tick for tick in ticks if low <= tick <= high]


def plain(value: float) -> str:
    """A parameter's value as it is set: 8192, not 8 k."""
    return f"{value:.10g}"


def _stride(steps: int) -> int:
    """The least stride with few enough labels, or up to twice that where the last tick then has one too."""
    least = steps // MOST_LABELS + 1
    return next((stride for stride in range(least, 2 * least + 1) if steps % stride == 0), least)


def floor_log2(value: float) -> int:
    power = 0
    while 2.0**power > value:
        power -= 1
    while 2.0 ** (power + 1) <= value:
        power += 1
    return power


def _label(axis: Axis, ticks: Sequence[float], words: Callable[[float], str]) -> None:
    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: words(value)))


WIDEST_MM = 42.0  # a label beside its curve; longer ones leave the panel too little room
LINE_MM = 3.6  # from one label's foot to the next
GAP_MM = 2.0  # between a panel and what stands beside or below it
LETTERS_IN_LEGEND = 80
MOST_COLUMNS = 5


@dataclass(frozen=True)
class Name:
    """A series' name, its line, and where that ends, in the panel's data coordinates."""

    text: str
    line: Line2D
    x: float
    y: float


def name_series(drawing: Drawing, panel: Axes, names: Sequence[Name], height_mm: float) -> None:
    """Names all series of a drawing of one panel, and settles it."""
    if _fit_beside(drawing, names, height_mm):
        _beside(drawing, panel, names, height_mm)
    else:
        legend = add_legend(drawing, [(name.line, name.text) for name in names])
        settle(drawing, [panel], [height_mm], below_mm=legend_mm(drawing, legend))


def add_legend(drawing: Drawing, entries: Sequence[tuple[Artist, str]]) -> Legend:
    """A legend at the foot of the drawing, in as many columns as fit."""
    texts = [fill(text, LETTERS_IN_LEGEND, break_long_words=True) for _, text in entries]
    handles = [handle for handle, _ in entries]
    columns = min(len(entries), MOST_COLUMNS)
    while True:
        legend = drawing.legend(handles, texts, loc="lower left", ncols=columns, mode=None, bbox_to_anchor=(0.0, 0.004))
        width = to_mm(drawing, legend.get_window_extent(renderer_of(drawing)).width)
        if columns == 1 or width <= WIDTH_MM - GAP_MM:
            return legend
        legend.remove()
        columns -= 1


def legend_mm(drawing: Drawing, legend: Legend) -> float:
    return to_mm(drawing, legend.get_window_extent(renderer_of(drawing)).height) + GAP_MM


def width_mm(drawing: Drawing, text: str, size_pt: float = SMALL_PT) -> float:
    """How wide a text is printed."""
    probe = drawing.text(0, 0, text, fontsize=size_pt)
    width = to_mm(drawing, probe.get_window_extent(renderer_of(drawing)).width)
    probe.remove()
    return width


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places near the wanted ones (ascending), at least a gap apart, within the limits where they all fit."""
    places: list[float] = []
    for place in wanted:
        places.append(max(place, low, places[-1] + gap if places else low))
    ceiling = high
    for index in reversed(range(len(places))):
        places[index] = min(places[index], ceiling)
        ceiling = places[index] - gap
    return places


def _fit_beside(drawing: Drawing, names: Sequence[Name], height_mm: float) -> bool:
    return len(names) * LINE_MM <= height_mm and all(width_mm(drawing, name.text) <= WIDEST_MM for name in names)


def _beside(drawing: Drawing, panel: Axes, names: Sequence[Name], height_mm: float) -> None:
    room = max(width_mm(drawing, name.text) for name in names) + 2 * GAP_MM
    settle(drawing, [panel], [height_mm], right_mm=room)
    name_beside(drawing, panel, names)


def name_beside(drawing: Drawing, panel: Axes, names: Sequence[Name]) -> None:
    """Each name on the right of the panel, as near to its line's end as the others leave room."""
    ordered = sorted(names, key=lambda name: name.y)
    to_axes = panel.transData + panel.transAxes.inverted()
    wanted = [float(to_axes.transform((panel.get_xlim()[1], name.y))[1]) for name in ordered]
    half = LINE_MM / to_mm(drawing, panel.bbox.height) / 2
    for name, place in zip(ordered, spread(wanted, 2 * half, half, 1 - half), strict=True):
        _write_beside(panel, name, place, 1 + GAP_MM / to_mm(drawing, panel.bbox.width))


def _write_beside(panel: Axes, name: Name, place: float, beside: float) -> None:
    """The name on the right, and a leader from the line's end to it, since names may have been moved apart."""
    leader = {"arrowstyle": "-", "color": name.line.get_color(), "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0}
    panel.annotate(
        name.text,
        xy=(name.x, name.y),
        xytext=(beside, place),
        textcoords="axes fraction",
        va="center",
        fontsize=SMALL_PT,
        arrowprops=leader | {"relpos": (0, 0.5)},
        annotation_clip=False,
    )


BETWEEN_MM = 2.0  # panels
LEFT_MM, TITLE_MM, FOOT_MM, ROW_GAP_MM, COLUMN_GAP_MM = 20.0, 5.5, 11.0, 4.0, 7.0  # of panels in rows
EDGE_MM = 0.6  # around everything, so that no letter is cut


@dataclass(frozen=True)
class Plot:
    """A drawn figure before it is printed; `panels` from top to bottom."""

    name: str
    drawing: Drawing
    panels: tuple[Axes, ...]
    alt: str
    n: str
    keys: tuple[str, ...]


def _new_drawing(height_mm: float) -> Drawing:
    """An empty drawing of the printed width."""
    drawing = Drawing(figsize=(WIDTH_MM / MM_PER_INCH, height_mm / MM_PER_INCH), dpi=PNG_DPI)
    FigureCanvasAgg(drawing)
    return drawing


def new_panels(heights_mm: Sequence[float]) -> tuple[Drawing, tuple[Axes, ...]]:
    """A drawing of the printed width with panels above each other; `settle` gives them their places."""
    drawing = _new_drawing(sum(heights_mm))
    panels: list[Axes] = []
    for place, height in enumerate(heights_mm):
        box = (0.1, 1 - sum(heights_mm[: place + 1]) / sum(heights_mm), 0.8, height / sum(heights_mm))
        panels.append(drawing.add_axes(box, label=str(place)))
    return drawing, tuple(panels)


def new_grid(
    rows: int, columns: int, height_mm: float, right_mm: float
) -> tuple[Drawing, tuple[tuple[Axes, ...], ...]]:
    """Panels of one size in rows: labels on the left, at the foot, and titles on top; names may stand on the right."""
    total = TITLE_MM + FOOT_MM + rows * (height_mm + ROW_GAP_MM) - ROW_GAP_MM
    width = (WIDTH_MM - LEFT_MM - right_mm + COLUMN_GAP_MM) / columns - COLUMN_GAP_MM
    drawing, grid = _new_drawing(total), []
    for row in range(rows):
        bottom = total - TITLE_MM - height_mm - row * (height_mm + ROW_GAP_MM)
        places = [LEFT_MM + column * (width + COLUMN_GAP_MM) for column in range(columns)]
        boxes = [(left / WIDTH_MM, bottom / total, width / WIDTH_MM, height_mm / total) for left in places]
        grid.append(tuple(drawing.add_axes(box, label=f"{row} {box[0]:g}") for box in boxes))
    return drawing, tuple(grid)


def renderer_of(drawing: Drawing) -> RendererAgg:
    """The renderer that measures text, for print and for the screen."""
    canvas = drawing.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    renderer: RendererAgg = canvas.get_renderer()  # type: ignore[no-untyped-call]
    return renderer


def to_mm(drawing: Drawing, pixels: float) -> float:
    return pixels / drawing.dpi * MM_PER_INCH


def settle(
    drawing: Drawing, panels: Sequence[Axes], heights_mm: Sequence[float], right_mm: float = 0, below_mm: float = 0
) -> None:
    """Gives each panel its height, and all panels the same sides with just enough room for labels.

    Constrained layout would do the same by drawing everything several times over.
    """
    around = [_room(drawing, panel) for panel in panels]
    left, right = max(room.x0 for room in around) + EDGE_MM, max(right_mm, *(room.x1 for room in around)) + EDGE_MM
    total = sum(heights_mm) + sum(room.y0 + room.y1 for room in around) + below_mm + 2 * EDGE_MM
    total += BETWEEN_MM * (len(panels) - 1)
    drawing.set_size_inches(WIDTH_MM / MM_PER_INCH, total / MM_PER_INCH)
    top = total - EDGE_MM
    for panel, room, height in zip(panels, around, heights_mm, strict=True):
        bottom = top - room.y1 - height
        panel.set_position((left / WIDTH_MM, bottom / total, (WIDTH_MM - left - right) / WIDTH_MM, height / total))
        top = bottom - room.y0 - BETWEEN_MM


def settle_beside(drawing: Drawing, panels: Sequence[Axes], height_mm: float) -> None:
    """Gives panels beside each other one height and one width, with just enough room for the labels of each."""
    around = [_room(drawing, panel) for panel in panels]
    below, above = (max(getattr(room, side) for room in around) + EDGE_MM for side in ("y0", "y1"))
    free = WIDTH_MM - sum(room.x0 + room.x1 for room in around) - BETWEEN_MM * (len(panels) - 1) - 2 * EDGE_MM
    total, width, left = height_mm + below + above, free / len(panels), EDGE_MM
    drawing.set_size_inches(WIDTH_MM / MM_PER_INCH, total / MM_PER_INCH)
    for panel, room in zip(panels, around, strict=True):
        left += room.x0
        panel.set_position((left / WIDTH_MM, below / total, width / WIDTH_MM, height_mm / total))
        left += width + room.x1 + BETWEEN_MM


def finish(plot: Plot) -> Figure:
    """All files, without the date and the program that made them."""
    with style():
        pdf, png, svg = io.BytesIO(), io.BytesIO(), io.BytesIO()
        nobody = {"CreationDate": None, "Creator": None, "Producer": None}
        plot.drawing.savefig(pdf, format="pdf", metadata=nobody)
        plot.drawing.savefig(png, format="png", dpi=PNG_DPI, metadata={"Software": None})
        with mpl.rc_context({"svg.fonttype": "none"}):  # letters that a page can search, scale and colour
            plot.drawing.savefig(svg, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return Figure(plot.name, pdf.getvalue(), png.getvalue(), svg.getvalue(), plot.alt, plot.n, plot.keys)


def _room(drawing: Drawing, panel: Axes) -> Bbox:
    """The room of a panel's labels on each side, in mm: left, below, right, above."""
    outer, inner = panel.get_tightbbox(renderer_of(drawing)), panel.bbox
    assert outer is not None
    sides = (inner.x0 - outer.x0, inner.y0 - outer.y0, outer.x1 - inner.x1, outer.y1 - inner.y1)
    return Bbox.from_extents(*(to_mm(drawing, max(side, 0.0)) for side in sides))
