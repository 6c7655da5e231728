"""A student's own points: one column of a file over another, without a band, since nothing says how far they spread."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axis import Axis

from lab.figures.figure import Figure
from lab.figures.inputs import Own
from lab.figures.marks import GREY
from lab.figures.plot import Plot, finish, new_panels, settle
from lab.figures.scales import log_axis
from lab.figures.style import style

HEIGHT_MM = 62.0
DECADES = 50.0  # values that span more than this factor stand on a logarithmic axis
MOST_JOINED = 200  # of more points, a line between neighbours hides them


def own(data: Own) -> Figure:
    """Grey, as all that was not measured here."""
    return finish(draw_own(data))


def draw_own(data: Own) -> Plot:
    """Points in the order of the file."""
    with style():
        drawing, (panel,) = new_panels([HEIGHT_MM])
        panel.grid(visible=True)
        panel.plot(data.x, data.y, color=GREY, marker="o", linestyle="-" if len(data.x) <= MOST_JOINED else "none")
        for axis, values in ((panel.xaxis, data.x), (panel.yaxis, data.y)):
            _scale(axis, values)
        panel.set_xlabel(data.x_name, parse_math=False)
        panel.set_ylabel(data.y_name, parse_math=False)
        settle(drawing, [panel], [HEIGHT_MM])
    return Plot(data.name, drawing, (panel,), _alt(data), f"{len(data.x)} points", ())


def _scale(axis: Axis, values: Sequence[float]) -> None:
    if min(values) > 0 and max(values) / min(values) > DECADES:
        log_axis(axis, values)


def _alt(data: Own) -> str:
    first, last = (f"{data.y[place]:.4g} at {data.x[place]:.4g}" for place in (0, -1))
    return (
        f"Not checked: {data.y_name} over {data.x_name}, {len(data.x)} points from {data.file}, "
        f"from {first} to {last}; the largest is {max(data.y):.4g}, the smallest {min(data.y):.4g}."
    )
