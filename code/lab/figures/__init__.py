"""What figures are made of, and what they are when they are made."""

from lab.figures.errors import FigureError
from lab.figures.figure import Figure
from lab.figures.inputs import (
    GBIT_S,
    GIB_S,
    MESSAGES_S,
    SECONDS,
    TIMES,
    ByParameter,
    BySize,
    Curve,
    Distribution,
    Fit,
    HeatMap,
    Latency,
    Own,
    Ratios,
    Stack,
    Stacks,
    Unit,
    Windows,
    WindowSeries,
)

__all__ = [
    "GBIT_S",
    "GIB_S",
    "MESSAGES_S",
    "SECONDS",
    "TIMES",
    "ByParameter",
    "BySize",
    "Curve",
    "Distribution",
    "Figure",
    "FigureError",
    "Fit",
    "HeatMap",
    "Latency",
    "Own",
    "Ratios",
    "Stack",
    "Stacks",
    "Unit",
    "WindowSeries",
    "Windows",
]
