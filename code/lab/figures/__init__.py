"""The lab's figures: one function per kind, from plain values to a Figure. Same input, same bytes."""

from lab.figures.figure import Figure
from lab.figures.inputs import (
    GBIT_S,
    GIB_S,
    MESSAGES_S,
    MICROSECONDS,
    ByParameter,
    BySize,
    Curve,
    Distribution,
    Fit,
    HeatMap,
    Latency,
    Limit,
    Ratios,
    Unit,
    Windows,
    WindowSeries,
)

__all__ = [
    "GBIT_S",
    "GIB_S",
    "MESSAGES_S",
    "MICROSECONDS",
    "ByParameter",
    "BySize",
    "Curve",
    "Distribution",
    "Figure",
    "Fit",
    "HeatMap",
    "Latency",
    "Limit",
    "Ratios",
    "Unit",
    "WindowSeries",
    "Windows",
]
