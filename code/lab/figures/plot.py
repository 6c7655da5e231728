"""A picture in progress: panels of a given height, fitted margins, and its last step to bytes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure as Drawing
from matplotlib.transforms import Bbox

from lab.figures.figure import Figure
from lab.figures.style import MM_PER_INCH, PNG_DPI, WIDTH_MM, style

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
