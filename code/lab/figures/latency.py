"""Distributions of a time: an empirical distribution function each, with the quantiles that n supports."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from matplotlib.axes import Axes

from lab.figures.curves import keys_of
from lab.figures.errors import FigureError
from lab.figures.figure import Figure
from lab.figures.inputs import Distribution, Latency, Unit
from lab.figures.labels import Name, name_series
from lab.figures.marks import mark
from lab.figures.plot import Plot, finish, new_panels
from lab.figures.scales import log_axis
from lab.figures.style import style
from lab.figures.words import measured, trim

HEIGHT_MM = 62.0
MOST_STEPS = 2_000  # more than a printer can show on this width


def latency(data: Latency) -> Figure:
    """The share of samples that are at most as long as a time, against that time."""
    return finish(draw_latency(data))


def draw_latency(data: Latency) -> Plot:
    """Steps are the samples; marks are the quantiles, with their intervals across."""
    _check(data)
    with style():
        drawing, (panel,) = new_panels([HEIGHT_MM])
        panel.grid(visible=True)
        names = [_draw(panel, each, place, data.unit.size) for place, each in enumerate(data.distributions)]
        log_axis(panel.xaxis, [sample / data.unit.size for each in data.distributions for sample in _range(each)])
        panel.set_ylim(0, 1.03)
        panel.set_yticks([0, 0.25, 0.5, 0.75, 0.9, 1], ["0", "25 %", "50 %", "75 %", "90 %", "100 %"])
        panel.set_xlabel(f"{data.what} in {data.unit.name}")
        panel.set_ylabel("samples that are at most so long")
        name_series(drawing, panel, names, HEIGHT_MM)
    return Plot(data.name, drawing, (panel,), _alt(data), _n(data), keys_of(data.distributions))


def ecdf(samples: Sequence[float]) -> tuple[list[float], list[float]]:
    """The corners of the steps; of very many samples evenly chosen ranks, with the first and the last."""
    ordered = np.sort(np.asarray(samples, dtype=np.float64))
    ranks = np.unique(np.linspace(1, ordered.size, min(ordered.size, MOST_STEPS)).astype(np.int64))
    return [float(ordered[0]), *ordered[ranks - 1].tolist()], [0.0, *(ranks / ordered.size).tolist()]


def _draw(panel: Axes, each: Distribution, place: int, scale: float) -> Name:
    look = mark(place)
    colour = each.colour or look.colour
    times, shares = ecdf(each.samples)
    times = [time / scale for time in times]
    (line,) = panel.step(times, shares, where="post", color=colour, linestyle=look.dashes, label=each.label)
    line.set(marker=look.marker, markevery=[-1])
    for quantile, found in each.quantiles:
        panel.plot([found.value / scale], [quantile], color=colour, marker=look.marker, linestyle="none")
        if found.interval:
            ends = (found.interval.low / scale, found.interval.high / scale)
            panel.hlines(quantile, *ends, color=colour, linewidth=0.9)
    return Name(each.label, line, times[-1], 1.0)


def _range(each: Distribution) -> tuple[float, float]:
    return min(each.samples), max(each.samples)


def _check(data: Latency) -> None:
    if not data.distributions or not all(each.samples for each in data.distributions):
        raise FigureError("a distribution without samples", where=data.name, hint="run its trials", figure=data.name)
    for each in data.distributions:
        if not all(isfinite(end) and end > 0 for end in _range(each)):
            raise FigureError(f"{each.label} holds a time not above 0", data.name, figure=data.name, label=each.label)


def _alt(data: Latency) -> str:
    title = f"Distribution of {data.what} on {data.site}, the time axis logarithmic."
    return " ".join([title, *(_in_words(each, data.unit) for each in data.distributions)])


def _in_words(each: Distribution, unit: Unit) -> str:
    low, high = _range(each)
    named = [f"{_percent(quantile)} quantile {measured(found, unit)}" for quantile, found in each.quantiles]
    ends = f"{low / unit.size:.4g} to {high / unit.size:.4g} {unit.name}"
    return f"{each.label}: {', '.join([ends, *named])}."


def _percent(quantile: float) -> str:
    return f"{trim(f'{100 * quantile:.2f}')} %"


def _n(data: Latency) -> str:
    counts = sorted({len(each.samples) for each in data.distributions})
    n = f"n = {counts[0]}" if len(counts) == 1 else f"n = {counts[0]} to {counts[-1]}"
    levels = {found.interval.level for each in data.distributions for _, found in each.quantiles if found.interval}
    marks = " or ".join(_percent(level) for level in sorted(levels))
    return f"{n} samples" + (f"; marks are quantiles with their {marks} intervals" if marks else "")
