"""Axes: logarithmic sizes in binary units, rates and ratios in plain decimals, parameters evenly spaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, log10

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from lab.figures.words import short, size

MOST_LABELS = 8  # of sizes below a panel; "256 KiB" and its neighbours then stay apart
LEAST_LABELS = 4
MANTISSAS = ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8), tuple(each / 10 for each in range(10, 100)))
ROOM = 1.25  # a logarithmic axis ends at this multiple of the data


def size_axis(panel: Axes, sizes: Sequence[float], between: int = 0) -> None:
    """Message sizes: a tick at each power of two, labels at as many as fit, or each a given factor from the last."""
    panel.set_xscale("log", base=2)
    first, last = floor_log2(min(sizes)), -floor_log2(1 / max(sizes))
    shifts = range(first, last + 1)
    stride = floor_log2(between) if between else _stride(last - first)
    _label(panel.xaxis, [2.0**shift for shift in shifts[::stride]], size)
    panel.xaxis.set_minor_locator(FixedLocator([2.0**shift for shift in shifts]))
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.set_xlim(min(sizes) / ROOM, max(sizes) * ROOM)
    panel.set_xlabel("message size")


def log_axis(axis: Axis, values: Sequence[float]) -> None:
    """Positive values: decades, and where there are few, also 2 and 5 of each."""
    low, high = min(values) / ROOM, max(values) * ROOM
    inside = next((ticks for each in MANTISSAS if len(ticks := _ticks(low, high, each)) >= LEAST_LABELS), [])
    if axis is axis.axes.xaxis:
        axis.axes.set(xscale="log", xlim=(low, high))
    else:
        axis.axes.set(yscale="log", ylim=(low, high))
    _label(axis, inside[:: ceil(len(inside) / MOST_LABELS)], short)
    axis.set_minor_locator(FixedLocator([]))


def _ticks(low: float, high: float, mantissas: Sequence[float]) -> list[float]:
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    ticks = (mantissa * 10.0**power for power in powers for mantissa in mantissas)
    return [tick for tick in ticks if low <= tick <= high]


def plain(value: float) -> str:
    """A parameter's value as it is set: 8192, not 8 k."""
    return f"{value:.10g}"


def _stride(steps: int) -> int:
    """The least stride with few enough labels, or up to twice that where the last tick then has one too."""
    least = steps // MOST_LABELS + 1
    return next((stride for stride in range(least, 2 * least + 1) if steps % stride == 0), least)


def floor_log2(value: float) -> int:
    power = 0
    while 2.0**power > value:
        power -= 1
    while 2.0 ** (power + 1) <= value:
        power += 1
    return power


def _label(axis: Axis, ticks: Sequence[float], words: Callable[[float], str]) -> None:
    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: words(value)))
