"""Curves against the message size, a varied value or the time; lines through times, drawn back to 0 bytes."""

from dataclasses import dataclass
from math import log

from lab.figures import Axes, Canvas
from lab.figures.figure import DASHES, Curve, LineLook, check_curves
from lab.figures.marks import GREY, INK, LINE_MM, SMALL_PT, short, with_unit

ROOM, LINEAR_ROOM = 1.25, 1.08  # a logarithmic and a linear axis end at this multiple of the data
MOST_TICKS = 6
LEAST_GAP = 0.07  # of the axis, between two ticks with words


@dataclass(frozen=True)
class Sized:
    """Rates (B/s), times (s) or ratios against the message size, with limits by name."""

    name: str
    label: str  # of the axis
    kind: str  # rate, time, ratio
    curves: tuple[Curve, ...]
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


def _draw_series(data: "Sized | Against", canvas: Canvas, panel: Axes) -> None:
    names = [canvas.limit(panel, label, value) for label, value in data.limits]
    names += [canvas.line(panel, curve) for curve in data.curves]
    canvas.name_series(names, data.height_mm)


@dataclass(frozen=True)
class Against:
    """Rates, times or messages a second against a value that a series varies, with models and limits by name."""

    name: str
    x_label: str
    y_label: str
    kind: str  # of y: rate, time, messages, ratio
    ticks: tuple[tuple[float, str], ...]
    curves: tuple[Curve, ...]
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

    def draw(self, canvas: Canvas, panel: Axes, _height_mm: float) -> None:
        starts, counts = zip(*self.bytes_at, strict=True)
        panel.bar(starts, counts, self.interval_s, align="edge", color=self.look.colour, linewidth=0)
        panel.axhline(self.limit, color=INK, linestyle=DASHES["dashed"], linewidth=0.6)
        panel.set(xlim=(0, self.end_s), ylim=(0, LINEAR_ROOM * max(self.limit, self.most)), title=self.title)
        canvas.round_ticks(panel.xaxis, 3, lambda value: with_unit(value, "time"), prune="both")
        canvas.round_ticks(panel.yaxis, 4, lambda value: f"{short(value)}B" if value else "0")


NAMES = 0.45  # of a cut axis: the room left of 0 bytes, for the names of the lines
HEAD = 0.17  # of the times' range, above them: for the rates of the lines
MARK_PT, LARGE_PT = 2.8, 4.6  # large: small messages


@dataclass(frozen=True)
class Ray:
    """A straight line through times, and its intercept and rate as in tables."""

    low: float  # the line is solid between the fitted sizes, and dashed down to 0 bytes
    high: float
    intercept_s: float
    slope_s: float  # of a byte
    intercept: str
    rate: str
    sizes: str

    def at(self, size: float) -> float:
        return self.intercept_s + self.slope_s * size


@dataclass(frozen=True)
class RayPanel:
    """Times (s) against sizes. `most` cuts the axis at a size, and names the lines where they reach 0 bytes."""

    title: str
    times: Curve
    rays: tuple[Ray, ...]
    small: Curve | None = None  # drawn larger; its smallest message has a name
    small_words: str = ""
    breaks: tuple[tuple[str, float], ...] = ()
    most: float = 0.0

    @property
    def curves(self) -> tuple[Curve, ...]:
        return (self.times, self.small) if self.small else (self.times,)

    @property
    def words(self) -> str:
        lines = [f"Line {ray.sizes}: {ray.rate}, {ray.intercept} at 0 B." for ray in self.rays]
        breaks = [f"Break at {words}." for words, _ in self.breaks]
        return " ".join([f"{self.title}: {'; '.join(curve.ends('time') for curve in self.curves)}.", *lines, *breaks])

    def draw(self, canvas: Canvas, panel: Axes, height_mm: float) -> None:
        panel.grid(visible=True)
        panel.set_title(self.title, fontsize=SMALL_PT)
        for curve in self.curves:
            marks = {"linestyle": "none", "markersize": LARGE_PT if curve is self.small else MARK_PT}
            panel.plot(curve.x, curve.values, **self.times.look.style | marks)
        for ray in self.rays:
            for ends, dashes in (((0.0, ray.low), (0, (3, 2))), ((ray.low, ray.high), "-")):
                panel.plot(ends, list(map(ray.at, ends)), color=INK, linewidth=0.9, linestyle=dashes, zorder=2.5)
        self._draw_axes(canvas, panel)
        if self.most:
            self._name_intercepts(canvas, panel, height_mm)
        else:
            self._name_rates(panel)

    def _draw_axes(self, canvas: Canvas, panel: Axes) -> None:
        most = self.most or max(self.times.x)
        values = [value for curve in self.curves for x, value in zip(curve.x, curve.values, strict=True) if x <= most]
        values += [ray.at(min(x, most)) for ray in self.rays for x in (0.0, ray.high)]
        low, high = min(0.0, *values), max(values)
        room, head = (NAMES * most, 0.05) if self.most else (0.03 * most, HEAD)
        panel.set(xlim=(-room, 1.03 * most), ylim=(low * 1.05, high + head * (high - low)), xlabel="message size")
        canvas.inner_ticks(panel.xaxis, 0.0, most, lambda value: f"{short(value)}B" if value else "0")
        canvas.inner_ticks(panel.yaxis, low, high, lambda value: with_unit(value, "time") if value else "0")

    def _name_intercepts(self, canvas: Canvas, panel: Axes, height_mm: float) -> None:
        """Left of 0 bytes: the prediction of each line, and the time of the smallest message."""
        names = [(ray.at(0.0), f"{ray.intercept}\n{ray.sizes}") for ray in self.rays]
        names += [(self.small.values[0], self.small_words)] if self.small else []
        low, high = panel.get_ylim()
        gap = 2 * LINE_MM / height_mm * (high - low)
        panel.axvline(0.0, color=INK, linewidth=0.6)
        heights = canvas.spread([value for value, _ in sorted(names)], gap, low + gap / 2, high - gap / 2)
        for (_, text), height in zip(sorted(names), heights, strict=True):
            panel.text(-0.035 * self.most, height, text, fontsize=SMALL_PT, ha="right", va="center", linespacing=1.0)

    def _name_rates(self, panel: Axes) -> None:
        """Above each line; the names of breaks are where no line passes."""
        (foot, top), small = panel.get_ylim(), {"fontsize": SMALL_PT}
        for ray in self.rays:
            panel.text((ray.low + ray.high) / 2, top, f"{ray.rate}\n{ray.intercept}", small, ha="center", va="top")
        height, side = (foot, "bottom") if foot < 0 else (top / (1 + HEAD), "top")
        for words, size in self.breaks:
            panel.axvline(size, color=GREY, linewidth=0.6, linestyle=(0, (1, 1.2)))
            panel.text(size, height, f" {words} ", small, rotation=90, ha="left", va=side)


@dataclass(frozen=True)
class Beside:
    """Panels beside each other: queues in time, or times with lines through some of them drawn back to 0 bytes."""

    name: str
    alt: str
    panels: tuple[RayPanel | QueueInTime, ...]
    height_mm: float
    label: str = ""  # of the axis

    def draw(self, canvas: Canvas) -> None:
        panels = canvas.panels_beside(len(self.panels), self.height_mm)
        for panel, data in zip(panels, self.panels, strict=True):
            data.draw(canvas, panel, self.height_mm)
        panels[0].set_ylabel(self.label)
        canvas.settle_beside(self.height_mm)
