"""The lab's figures: one function per kind, from plain values to a Figure. Same input, same bytes."""

from collections.abc import Callable
from typing import Any

from lab.figures.by_parameter import parameter
from lab.figures.by_size import call_time, message_rate, published, round_trip, throughput
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
    Unit,
    Windows,
    WindowSeries,
)
from lab.figures.latency import latency
from lab.figures.ratios import peer_ratio, speed_up
from lab.figures.windows import windows

# Each takes the one dataclass of `inputs` that its annotation names.
kinds: dict[str, Callable[[Any], Figure]] = {
    "throughput": throughput,
    "message_rate": message_rate,
    "round_trip": round_trip,
    "call_time": call_time,
    "published": published,
    "parameter": parameter,
    "speed_up": speed_up,
    "peer_ratio": peer_ratio,
    "heat_map": heat_map,
    "windows": windows,
    "latency": latency,
    "fit": fit,
}

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
    "Unit",
    "WindowSeries",
    "Windows",
    "call_time",
    "fit",
    "heat_map",
    "kinds",
    "latency",
    "message_rate",
    "parameter",
    "peer_ratio",
    "published",
    "round_trip",
    "speed_up",
    "throughput",
    "windows",
]
