"""Drawing of any kind of figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lab.figures.figure import Figure

if TYPE_CHECKING:
    from lab.figures.plot import Canvas


class Drawable(Protocol):
    """The data of a figure, drawn through a canvas, so that data alone needs no matplotlib."""

    @property
    def name(self) -> str: ...
    @property
    def alt(self) -> str: ...
    @property
    def n(self) -> str: ...
    @property
    def keys(self) -> tuple[str, ...]: ...

    def draw(self, canvas: Canvas) -> None:
        """Draw the data, or raise a FigureError."""


def render(data: Drawable) -> Figure:
    """Draw a figure, the same bytes for the same data; only this loads matplotlib, which takes half a second."""
    from lab.figures.plot import Canvas

    pdf, png, svg = Canvas.render(data.draw)
    return Figure(data.name, pdf, png, svg, data.alt, data.n, data.keys)
