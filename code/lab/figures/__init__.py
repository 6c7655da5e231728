"""The lab's figures: one function per kind, from plain values to a Figure. Same input, same bytes."""

from lab.figures.by_parameter import parameter
from lab.figures.by_size import (
    bandwidth,
    call_time,
    half_trip,
    message_rate,
    processor_time,
    published,
    round_trip,
    throughput,
)
from lab.figures.errors import FigureError
from lab.figures.figure import Figure
from lab.figures.fit import fit
from lab.figures.heat_map import heat_map
from lab.figures.inputs import (
    GBIT_S,
    GIB_S,
    MESSAGES_S,
    MICROSECONDS,
    SECONDS,
    TIMES,
    ByParameter,
    BySize,
    Curve,
    Distribution,
    Fit,
    HeatMap,
    Latency,
    Ratios,
    Stack,
    Stacks,
    Unit,
    Windows,
    WindowSeries,
)
from lab.figures.latency import latency
from lab.figures.ratios import peer_ratio, speed_up
from lab.figures.stacks import stacks
from lab.figures.windows import windows

__all__ = [
    "GBIT_S",
    "GIB_S",
    "MESSAGES_S",
    "MICROSECONDS",
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
    "Ratios",
    "Stack",
    "Stacks",
    "Unit",
    "WindowSeries",
    "Windows",
    "bandwidth",
    "call_time",
    "fit",
    "half_trip",
    "heat_map",
    "latency",
    "message_rate",
    "parameter",
    "peer_ratio",
    "processor_time",
    "published",
    "round_trip",
    "speed_up",
    "stacks",
    "throughput",
    "windows",
]
