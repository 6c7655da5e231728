"""Small panels against the message size or a varied value: those of a row share an axis, those of a column a title."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.analysis.estimate import Interval
from lab.figures import Axes, Canvas
from lab.figures.figure import Curve, Name, check_curves
from lab.figures.marks import INK, SMALL_PT, short, size, with_unit

NAMES_MM, BESIDE_MM = 24.0, 5.0  # right of the panels; without names, half of a label below
SIZES_BETWEEN = 16  # two labels of sizes: "256 B" and "4 KiB" stay apart in a third of the width
ROOM, FACTOR, FACTOR_FOR_STEPS = 0.08, 1.4, 2.2  # beyond the data: of a linear range, or a factor
LEAST_S, LINE = 1e-9, 0.075  # a linear axis of zeros; of a panel's height, from one step's label to the next


@dataclass(frozen=True)
class Panel:
    """Curves in a panel; a step is the sizes below and above it and a colour."""

    title: str
    curves: tuple[Curve, ...]
    steps: tuple[tuple[float, float, str], ...] = ()

    def words(self, kind: str, x_words: Callable[[float], str]) -> str:
        curves = "; ".join(curve.in_words(kind, x_words) for curve in self.curves)
        steps = "".join(f"; a step between {below:g} and {above:g} B" for below, above, _ in self.steps)
        return f"{self.title}: {curves}{steps}"


@dataclass(frozen=True)
class PanelRow:
    """Panels beside each other that share an axis: linear from 0, or logarithmic."""

    label: str
    panels: tuple[Panel, ...]
    is_linear: bool
    kind: str = "time"  # of y: rate, time, messages
    x_label: str = ""  # of the value that the series vary; empty: x is the message size

    @property
    def curves(self) -> list[Curve]:
        return [curve for panel in self.panels for curve in panel.curves]

    @property
    def has_names(self) -> bool:
        """Whether the curves need names; a single curve has the panel's title."""
        return len(self.panels[-1].curves) > 1

    def draw(self, canvas: Canvas, grid: Sequence[Axes]) -> None:
        xs = sorted({x for curve in self.curves for x in curve.x})
        for panel, axes in zip(self.panels, grid, strict=True):
            axes.grid(visible=True)
            if self.x_label:
                axes.set(xscale="log", xlim=(xs[0] / FACTOR, xs[-1] * FACTOR), xlabel=self.x_label)
                canvas.ticks(axes.xaxis, xs, short)
            else:
                canvas.size_axis(axes, xs, SIZES_BETWEEN)
            self._draw_value_axis(canvas, axes)
            axes.tick_params(labelleft=axes is grid[0])
            names = [self._draw_curve(axes, curve) for curve in panel.curves]
            for place, step in enumerate(panel.steps):
                _mark_step(axes, *step, 1 - LINE * place)
        grid[0].set_ylabel(self.label)
        if self.has_names:
            canvas.name_beside(grid[-1], names)

    def _draw_value_axis(self, canvas: Canvas, axes: Axes) -> None:
        ys = [y for curve in self.curves for y in curve.y]
        if self.is_linear:
            bars = [y.interval or Interval(y.value, y.value) for y in ys]
            low, high = min(0.0, *(bar.low for bar in bars)), max(LEAST_S, *(bar.high for bar in bars))
            axes.set_ylim(low - ROOM * (high - low), high + ROOM * (high - low))
            canvas.round_ticks(axes.yaxis, 5, lambda value: with_unit(value, self.kind), steps=(1, 2, 5, 10))
            axes.axhline(0.0, color=INK, linewidth=0.9, zorder=1.5)
        else:
            # The low end of an interval may be 0 or less; its bar then leaves the panel.
            least, bars = min(y.value for y in ys), [y.interval for y in ys if y.interval]
            ends = [end for bar in bars for end in (bar.low, bar.high) if end > least / 10]
            low, high = min([least, *ends]), max([*(y.value for y in ys), *ends])
            has_steps = any(panel.steps for panel in self.panels)
            canvas.value_axis(axes, low / FACTOR, high * (FACTOR_FOR_STEPS if has_steps else FACTOR), self.kind)
            if self.kind == "messages":
                canvas.label(axes.yaxis, short)  # "100 thousand/s" is wider than the margin

    def _draw_curve(self, axes: Axes, curve: Curve) -> Name:
        """Marks with bars, and a line on a logarithmic axis."""
        for x, y in zip(curve.x, curve.y, strict=True):
            if y.interval:
                axes.vlines(x, y.interval.low, y.interval.high, color=curve.look.colour, linewidth=0.8)
        style = curve.look.style | ({"linestyle": "none"} if self.is_linear else {})
        (line,) = axes.plot(curve.x, curve.values, **style)
        return Name(curve.label, line, curve.x[-1], curve.values[-1])


def _mark_step(axes: Axes, below: float, above: float, colour: str, height: float) -> None:
    """A hairline between two sizes, labelled with both."""
    place, (first, last) = (below * above) ** 0.5, axes.get_xlim()
    axes.axvline(place, color=colour, linewidth=0.6, linestyle=(0, (4, 2)), zorder=1.2)
    label = axes.text(place, height, f" {below:g} | {above:g} B ", transform=axes.get_xaxis_transform(), color=colour)
    label.set(ha="right" if place**2 > first * last else "left", va="top", fontsize=SMALL_PT)


@dataclass(frozen=True)
class Multiples:
    """Rows of small panels, as many in each row."""

    name: str
    rows: tuple[PanelRow, ...]
    height_mm: float  # of a panel

    @property
    def alt(self) -> str:
        panels = [
            f"{' '.join(row.label.split())}, {panel.words(row.kind, short if row.x_label else size)}"
            for row in self.rows
            for panel in row.panels
        ]
        return f"Against {self.rows[0].x_label or 'message size'}, in {len(panels)} panels. {'. '.join(panels)}."

    def draw(self, canvas: Canvas) -> None:
        for row in self.rows:
            check_curves(self.name, row.curves, above_0=not row.is_linear)
        right_mm = NAMES_MM if any(row.has_names for row in self.rows) else BESIDE_MM
        grid = canvas.panel_grid(len(self.rows), len(self.rows[0].panels), self.height_mm, right_mm)
        for row, panels in zip(self.rows, grid, strict=True):
            row.draw(canvas, panels)
        for panel, axes in zip(self.rows[0].panels, grid[0], strict=True):
            axes.set_title(panel.title)
        for axes in (axes for panels in grid[:-1] for axes in panels):
            axes.set_xlabel("")
            axes.tick_params(labelbottom=False)
