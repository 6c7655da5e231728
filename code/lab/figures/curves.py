"""Curves against the message size, a varied value or the time."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from lab.figures.figure import DASHES, Curve, LineLook, OfCurves, check_curves, keys_of
from lab.figures.marks import INK, SMALL_PT, short, with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lab.figures.plot import Canvas

ROOM, LINEAR_ROOM = 1.25, 1.08  # a logarithmic and a linear axis end at this multiple of the data
MOST_TICKS = 6
LEAST_GAP = 0.07  # of the axis, between two ticks with words


@dataclass(frozen=True)
class Sized(OfCurves):
    """Rates (B/s), times (s) or ratios against the message size, with the looks of the curves and limits by name."""

    name: str
    label: str  # of the axis
    kind: str  # rate, time, ratio
    curves: tuple[Curve, ...]
    looks: tuple[LineLook, ...]
    limits: tuple[tuple[str, float], ...] = ()
    height_mm: float = 70.0

    @property
    def alt(self) -> str:
        curves = "; ".join(curve.in_words(self.kind) for curve in self.curves)
        limits = "".join(f"; {label}: {with_unit(value, self.kind)}" for label, value in self.limits)
        return f"{self.label.capitalize()} against message size, both axes logarithmic: {curves}{limits}."

    def draw(self, canvas: Canvas) -> None:
        check_curves(self.name, self.curves)
        panel = canvas.panel(self.height_mm, grid=True)
        canvas.size_axis(panel, [x for curve in self.curves for x in curve.x])
        values = [value for curve in self.curves for value in curve.values] + [value for _, value in self.limits]
        values += [1.0] if self.kind == "ratio" else []
        canvas.value_axis(panel, min(values) / ROOM, max(values) * ROOM, self.kind)
        panel.set_ylabel(self.label)
        if self.kind == "ratio":
            panel.axhline(1.0, color=INK, linewidth=0.9, zorder=1.5)
        _draw_series(self, canvas, panel)


def _draw_series(data: Sized | Against, canvas: Canvas, panel: Axes) -> None:
    names = [canvas.limit(panel, label, value) for label, value in data.limits]
    names += [canvas.line(panel, curve, look) for curve, look in zip(data.curves, data.looks, strict=True)]
    canvas.name_series(names, data.height_mm)


@dataclass(frozen=True)
class Against(OfCurves):
    """Rates, times or messages a second against a value that a series varies, with models and limits by name."""

    name: str
    x_label: str
    y_label: str
    kind: str  # of y: rate, time, messages, ratio
    ticks: tuple[tuple[float, str], ...]
    curves: tuple[Curve, ...]
    looks: tuple[LineLook, ...]
    models: tuple[Curve, ...] = ()  # expected y
    limits: tuple[tuple[str, float], ...] = ()
    is_linear: bool = False  # both axes, from 0; else both are logarithmic
    height_mm: float = 60.0

    @property
    def alt(self) -> str:
        scale = "both axes linear" if self.is_linear else "both axes logarithmic"
        parts = [f"{curve.label} {self._points(curve)}" for curve in self.curves]
        parts += [f"{model.label}, a line: {self._points(model)}" for model in self.models]
        parts += [f"{label}: {with_unit(value, self.kind)}" for label, value in self.limits]
        return f"{self.y_label.capitalize()} against {self.x_label}, {scale}: {'; '.join(parts)}."

    def _points(self, curve: Curve) -> str:
        words = dict(self.ticks)
        points = zip(curve.x, curve.values, strict=True)
        return ", ".join(f"{with_unit(value, self.kind)} at {words[x]}" for x, value in points)

    def draw(self, canvas: Canvas) -> None:
        check_curves(self.name, [*self.curves, *self.models])
        panel = canvas.panel(self.height_mm, grid=True)
        self._draw_axes(canvas, panel)
        self._draw_models(panel)
        _draw_series(self, canvas, panel)

    def _draw_axes(self, canvas: Canvas, panel: Axes) -> None:
        ys = [value for curve in self.curves for value in curve.values] + [value for _, value in self.limits]
        xs = [x for curve in self.curves for x in curve.x]
        panel.set(xlabel=self.x_label, ylabel=self.y_label)

        def words(value: float) -> str:
            return with_unit(value, self.kind) if value else "0"

        if self.is_linear:
            panel.set(xlim=(0, LINEAR_ROOM * max(xs)), ylim=(0, LINEAR_ROOM * max(ys)))
            canvas.round_ticks(panel.yaxis, MOST_TICKS, words)
        else:
            low, high = min(ys) / ROOM, max(ys) * ROOM
            panel.set(xscale="log", yscale="log", xlim=(min(xs) / ROOM, max(xs) * ROOM), ylim=(low, high))
            canvas.ticks(panel.yaxis, canvas.decades(low, high), words)
        ticks = self._ticks_apart()
        canvas.ticks(panel.xaxis, list(ticks), ticks.__getitem__)

    def _ticks_apart(self) -> dict[float, str]:
        """The ticks from the right, without those whose labels would overlap."""
        low, high = min(x for x, _ in self.ticks), max(x for x, _ in self.ticks)
        apart, last = dict[float, str](), 0.0
        for x, words in sorted(self.ticks, reverse=True):
            gap = (last - x) / high if self.is_linear else log(last / x) / log(high / low) if apart else 1.0
            if not apart or gap >= LEAST_GAP:
                apart[x], last = words, x
        return apart

    def _draw_models(self, panel: Axes) -> None:
        """Dotted lines; the name of the first stands for all, above its last point within the panel."""
        for model in self.models:
            panel.plot(model.x, model.values, color=INK, linestyle=DASHES["dotted"], linewidth=0.9, zorder=1.5)
        first = zip(self.models[0].x, self.models[0].values, strict=True) if self.models else ()
        if inside := [(x, y) for x, y in first if y <= panel.get_ylim()[1]]:
            side, offset = ("left", (8, 0)) if len(inside) == 1 else ("right", (-4, 3))
            panel.annotate(
                self.models[0].label, inside[-1], offset, textcoords="offset points", fontsize=SMALL_PT, ha=side
            )


@dataclass(frozen=True)
class QueueInTime:
    """The most bytes that waited in each interval of the time (s); where no interval is, nothing waited."""

    title: str
    interval_s: float
    bytes_at: tuple[tuple[float, int], ...]
    limit: int  # 0: none
    look: LineLook
    keys: tuple[str, ...]

    @property
    def most(self) -> int:
        return max(count for _, count in self.bytes_at)

    @property
    def end_s(self) -> float:
        return self.bytes_at[-1][0] + self.interval_s

    @property
    def words(self) -> str:
        return f"{self.title} at most {short(self.most)}B in {with_unit(self.end_s, 'time')}"

    def draw(self, canvas: Canvas, panel: Axes) -> None:
        starts, counts = zip(*self.bytes_at, strict=True)
        panel.bar(starts, counts, self.interval_s, align="edge", color=self.look.colour, linewidth=0)
        panel.axhline(self.limit, color=INK, linestyle=DASHES["dashed"], linewidth=0.6)
        panel.set(xlim=(0, self.end_s), ylim=(0, LINEAR_ROOM * max(self.limit, self.most)), title=self.title)
        canvas.round_ticks(panel.xaxis, 3, lambda value: with_unit(value, "time"), prune="both")
        canvas.round_ticks(panel.yaxis, 4, lambda value: f"{short(value)}B" if value else "0")


@dataclass(frozen=True)
class QueuesInTime:
    """The depth of queues in time, each in a panel with a time of its own."""

    name: str
    queues: tuple[QueueInTime, ...]
    height_mm: float

    @property
    def alt(self) -> str:
        return f"Bytes that wait in the switch, in time: {', '.join(queue.words for queue in self.queues)}."

    @property
    def keys(self) -> tuple[str, ...]:
        return keys_of(self.queues)

    def draw(self, canvas: Canvas) -> None:
        panels = canvas.panels_beside(len(self.queues), self.height_mm)
        for queue, panel in zip(self.queues, panels, strict=True):
            queue.draw(canvas, panel)
        canvas.settle_beside(self.height_mm)
