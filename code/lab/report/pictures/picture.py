"""A figure that is not drawn yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lab.figures import Curve, Figure, Unit
from lab.model.sizes import format_size
from lab.report.claim import Ledger
from lab.report.evidence.curve import Subject

MB_S = Unit("MB/s", 1e6, (Unit("kB/s", 1e3), Unit("B/s", 1.0)))  # as in the tables


@dataclass(frozen=True)
class Picture:
    """Its name, what its caption says first, the data that it depends on, and who draws it."""

    name: str
    caption: str
    data: Any
    drawn_by: Callable[[Any], Figure]
    machine: str = ""  # another one, whose data it shows

    def draw(self) -> Figure:
        return self.drawn_by(self.data)


def claimed_curve(curve: Subject, ledger: Ledger, suffix: str = "") -> Curve:
    """A curve over sizes, made of the claims that the tables print."""
    estimates = tuple(ledger[f"{curve.name}.{format_size(size)}{suffix}"].estimate for size in curve.sizes)
    return Curve(curve.words, tuple(map(float, curve.sizes)), estimates, curve.keys(curve.sizes))
