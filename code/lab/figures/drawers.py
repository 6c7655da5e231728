"""The functions that draw, one per kind, from plain values to a Figure. Same input, same bytes.

What draws is loaded when it draws: that takes a second, and a report whose figures are kept draws none.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar, cast

from lab.figures.inputs import (
    Against,
    ByRound,
    Dots,
    Extrapolated,
    Figure,
    Matrix,
    Multiples,
    Own,
    Parts,
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


against = Drawer[Against]("curves", "against")
by_round = Drawer[ByRound]("fits", "by_round")
dots = Drawer[Dots]("dots", "dots")
extrapolated = Drawer[Extrapolated]("fits", "extrapolated")
matrix = Drawer[Matrix]("matrix", "matrix")
multiples = Drawer[Multiples]("multiples", "multiples")
own = Drawer[Own]("curves", "own")
parts = Drawer[Parts]("stacks", "parts")
sized = Drawer[Sized]("curves", "sized")
stacks = Drawer[Stacks]("stacks", "stacks")
tails = Drawer[Tails]("fits", "tails")
tornado = Drawer[Tornado]("dots", "tornado")
