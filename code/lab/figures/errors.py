"""Errors about the data of a figure."""

from __future__ import annotations

from dataclasses import dataclass

from lab.errors import LabError


@dataclass
class FigureError(LabError):
    """A figure has no data, or a value outside its axes."""

    figure: str = ""
    label: str = ""
