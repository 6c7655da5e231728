"""Figures: their data, and the functions that draw them; at run time nothing here loads matplotlib."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes

    from lab.figures.plot import Canvas as Canvas
else:
    Axes = Canvas = Any
