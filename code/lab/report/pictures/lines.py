"""A line through the times of messages, with its residuals."""

from __future__ import annotations

from lab.figures import Fit
from lab.report.pictures.sketch import MB_S
from lab.report.topics.lines import Times


def fit_data(name: str, label: str, times: Times, look: str = "") -> Fit:
    """Every time of every repetition, the line, and the two where they follow the times instead."""
    curve, y = times.curve, tuple(time for row in times.rows for time in row)
    x, keys = times.sizes * len(times.rows), curve.keys(curve.sizes)
    return Fit(name, label, x, y, times.line(), curve.site, times.pieces(), rate=MB_S, keys=keys, colour=look)
