"""Times against the message size, with fitted lines drawn back to 0 bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.figures.figure import Curve, LineLook, OfCurves
from lab.figures.marks import GREY, INK, LINE_MM, SMALL_PT, short, with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lab.figures.plot import Canvas

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
    look: LineLook
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
            panel.plot(curve.x, curve.values, **self.look.style | marks)
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
class Extrapolated(OfCurves):
    """Panels beside each other: times, and lines through some of them drawn back to 0 bytes."""

    name: str
    label: str  # of the axis
    panels: tuple[RayPanel, ...]
    height_mm: float = 60.0

    @property
    def curves(self) -> list[Curve]:  # type: ignore[override]
        return [curve for panel in self.panels for curve in panel.curves]

    @property
    def alt(self) -> str:
        return f"{self.label} against message size, linear axes. {' '.join(panel.words for panel in self.panels)}"

    def draw(self, canvas: Canvas) -> None:
        panels = canvas.panels_beside(len(self.panels), self.height_mm)
        for panel, data in zip(panels, self.panels, strict=True):
            data.draw(canvas, panel, self.height_mm)
        panels[0].set_ylabel(self.label)
        canvas.settle_beside(self.height_mm)
