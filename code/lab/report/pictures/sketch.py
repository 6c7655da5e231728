"""A figure that is not drawn yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lab.figures import Curve, Figure, Unit
from lab.report.claim import Claim
from lab.report.claims.throughput import RateClaims
from lab.report.pictures.colours import colour

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


def rate_curve(rates: RateClaims) -> Curve:
    """A curve over sizes, made of the claims that the tables print."""
    return _curve(rates, (each.rate for each in rates.by_size.values()))


def message_curve(rates: RateClaims) -> Curve:
    """The same in messages."""
    return _curve(rates, (each.messages for each in rates.by_size.values()))


def _curve(rates: RateClaims, claims: Iterable[Claim]) -> Curve:
    curve = rates.curve
    estimates = tuple(claim.estimate for claim in claims)
    keys = curve.keys(curve.sizes)
    return Curve(curve.words, tuple(map(float, curve.sizes)), estimates, keys, colour=colour(curve.series))
