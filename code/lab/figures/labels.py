"""Names of series: beside their last point where they fit, else in a legend below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from lab.figures.plot import renderer_of, settle, to_mm
from lab.figures.style import SMALL_PT, WIDTH_MM

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
