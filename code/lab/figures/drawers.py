"""The functions that draw, one per kind, from plain values to a Figure. Same input, same bytes.

What draws is loaded when it draws: that takes a second, and a report whose figures are kept draws none.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar, cast

from lab.figures.figure import Figure
from lab.figures.inputs import (
    Against,
    ByParameter,
    ByRound,
    BySize,
    Dots,
    Extrapolated,
    Fit,
    HeatMap,
    Latency,
    Matrix,
    Multiples,
    Own,
    Parts,
    Ratios,
    Sized,
    Stacks,
    Tails,
    Tornado,
)

Data = TypeVar("Data")


@dataclass(frozen=True)
class Drawer(Generic[Data]):
    """A function of a module of this package."""

    module: str
    function: str

    def __call__(self, data: Data) -> Figure:
        drawn_by = getattr(import_module(f"lab.figures.{self.module}"), self.function)
        return cast(Figure, drawn_by(data))


against = Drawer[Against]("against", "against")
parameter = Drawer[ByParameter]("by_parameter", "parameter")
by_round = Drawer[ByRound]("by_round", "by_round")
call_time = Drawer[BySize]("by_size", "call_time")
half_trip = Drawer[BySize]("by_size", "half_trip")
message_rate = Drawer[BySize]("by_size", "message_rate")
published = Drawer[BySize]("by_size", "published")
round_trip = Drawer[BySize]("by_size", "round_trip")
throughput = Drawer[BySize]("by_size", "throughput")
dots = Drawer[Dots]("dots", "dots")
extrapolated = Drawer[Extrapolated]("extrapolated", "extrapolated")
fit = Drawer[Fit]("fit", "fit")
heat_map = Drawer[HeatMap]("heat_map", "heat_map")
latency = Drawer[Latency]("latency", "latency")
matrix = Drawer[Matrix]("matrix", "matrix")
multiples = Drawer[Multiples]("multiples", "multiples")
own = Drawer[Own]("own", "own")
parts = Drawer[Parts]("parts", "parts")
peer_ratio = Drawer[Ratios]("ratios", "peer_ratio")
sized = Drawer[Sized]("sized", "sized")
speed_up = Drawer[Ratios]("ratios", "speed_up")
stacks = Drawer[Stacks]("stacks", "stacks")
tails = Drawer[Tails]("tails", "tails")
tornado = Drawer[Tornado]("tornado", "tornado")
