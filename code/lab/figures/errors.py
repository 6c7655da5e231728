"""Errors about what a figure was asked to show."""

from __future__ import annotations

from dataclasses import dataclass

from lab.errors import LabError


@dataclass
class FigureError(LabError):
    """A figure has nothing to show, or a value that can't be shown on its axes."""

    figure: str = ""
    label: str = ""
