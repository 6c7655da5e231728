"""The functions that draw, one per kind, from plain values to a Figure. Same input, same bytes.

What draws is loaded when it draws: that takes a second, and a report whose figures are kept draws none.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar, cast

from lab.figures.figure import Figure
from lab.figures.inputs import ByParameter, BySize, Fit, HeatMap, Latency, Own, Ratios, Stacks, Windows

Data = TypeVar("Data")


@dataclass(frozen=True)
class Drawer(Generic[Data]):
    """A function of a module of this package."""

    module: str
    function: str

    def __call__(self, data: Data) -> Figure:
        drawn_by = getattr(import_module(f"lab.figures.{self.module}"), self.function)
        return cast(Figure, drawn_by(data))


parameter = Drawer[ByParameter]("by_parameter", "parameter")
bandwidth = Drawer[BySize]("by_size", "bandwidth")
call_time = Drawer[BySize]("by_size", "call_time")
half_trip = Drawer[BySize]("by_size", "half_trip")
message_rate = Drawer[BySize]("by_size", "message_rate")
published = Drawer[BySize]("by_size", "published")
round_trip = Drawer[BySize]("by_size", "round_trip")
throughput = Drawer[BySize]("by_size", "throughput")
fit = Drawer[Fit]("fit", "fit")
heat_map = Drawer[HeatMap]("heat_map", "heat_map")
latency = Drawer[Latency]("latency", "latency")
own = Drawer[Own]("own", "own")
peer_ratio = Drawer[Ratios]("ratios", "peer_ratio")
speed_up = Drawer[Ratios]("ratios", "speed_up")
stacks = Drawer[Stacks]("stacks", "stacks")
windows = Drawer[Windows]("windows", "windows")
