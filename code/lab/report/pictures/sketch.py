"""A figure that is not drawn yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lab.figures import Curve, Figure, Unit
from lab.report.answer import Answer
from lab.report.evidence.curve import Subject
from lab.report.pictures.colours import colour
from lab.report.topics.curves import message_rate, rate

MB_S = Unit("MB/s", 1e6, (Unit("kB/s", 1e3), Unit("B/s", 1.0)))  # as in the tables


Data = TypeVar("Data")


@dataclass(frozen=True)
class Sketch(Generic[Data]):
    """A figure's name, the start of its caption, its data, and the function that draws it."""

    name: str
    caption: str
    data: Data
    drawn_by: Callable[[Data], Figure]
    machine: str = ""  # another one, whose data it shows
    source: str = ""  # in place of records

    def draw(self) -> Figure:
        return self.drawn_by(self.data)


AnySketch = Sketch[Any]  # whatever it draws


def rate_curve(curve: Subject) -> Curve:
    """A curve over sizes, made of the answers that the tables print."""
    return _curve(curve, rate)


def message_curve(curve: Subject) -> Curve:
    """The same in messages."""
    return _curve(curve, message_rate)


def _curve(curve: Subject, answer: Callable[[Subject, int], Answer]) -> Curve:
    estimates = tuple(answer(curve, size).estimate for size in curve.sizes)
    keys = curve.keys(curve.sizes)
    return Curve(curve.words, tuple(map(float, curve.sizes)), estimates, keys, colour=colour(curve.series))
