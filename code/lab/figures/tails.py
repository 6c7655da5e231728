"""Quantiles of times over their median, from the middle to the slowest hundredth: each cause of slowness is a step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter

from lab.figures.curves import keys_of
from lab.figures.figure import Figure
from lab.figures.inputs import Distribution, LineLook, Tails
from lab.figures.labels import Name, name_series
from lab.figures.plot import Plot, finish, new_panels
from lab.figures.sized import DASHES
from lab.figures.style import style

HEIGHT_MM = 52.0
LAST = 0.99  # a trial has too few samples to say more
TICKS = (0.5, 0.75, 0.9, 0.95, 0.98, LAST)
TOLD = (0.9, 0.95, LAST)
SHARES = [1 - thousandth / 1000 for thousandth in range(500, 9, -1)]


def tails(data: Tails) -> Figure:
    """The figure, with its content in words."""
    with style():
        drawing, (panel,) = new_panels([HEIGHT_MM])
        panel.grid(visible=True)
        names = [_draw(panel, *drawn) for drawn in zip(data.distributions, data.looks, strict=True)]
        _axes(panel)
        name_series(drawing, panel, names, HEIGHT_MM)
    n = min(len(each.samples) for each in data.distributions)
    plot = Plot(data.name, drawing, (panel,), _alt(data), f"n = {n} samples or more", keys_of(data.distributions))
    return finish(plot)


def _draw(panel: Axes, of: Distribution, look: LineLook) -> Name:
    times = _over_median(of, SHARES)
    places = [1 / (1 - share) for share in SHARES]
    (line,) = panel.step(places, times, color=look.colour, linestyle=DASHES[look.dashes], where="post")
    line.set(marker=look.marker, markevery=[-1], markerfacecolor="white" if look.is_open else look.colour)
    return Name(of.label, line, places[-1], times[-1])


def _over_median(of: Distribution, shares: Sequence[float]) -> list[float]:
    """For each share the shortest sample that so many are at most as long as, over the median."""
    samples = np.asarray(of.samples, dtype=np.float64)
    quantiles = np.quantile(samples, shares, method="inverted_cdf") / np.median(samples)
    return [float(quantile) for quantile in quantiles]


def _axes(panel: Axes) -> None:
    panel.set(xscale="log", xlim=(2, 1 / (1 - LAST)), ylim=(0.97, None))
    panel.xaxis.set_major_locator(FixedLocator([1 / (1 - tick) for tick in TICKS]))
    panel.xaxis.set_minor_locator(FixedLocator([]))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * (1 - 1 / value):.0f} %"))
    panel.set(xlabel="share of the messages that take at most so long", ylabel="time over the median")


def _alt(data: Tails) -> str:
    told = "; ".join(map(_told, data.distributions))
    return f"Time over the median against the share of the messages that take at most so long: {told}."


def _told(of: Distribution) -> str:
    quantiles = zip(TOLD, _over_median(of, TOLD), strict=True)
    return f"{of.label} {', '.join(f'{value:.3g} at {100 * share:.0f} %' for share, value in quantiles)}"
