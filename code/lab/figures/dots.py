"""Dot plots: times in groups of rows, and tornadoes of effects."""

from dataclasses import dataclass
from math import ceil, log2

from lab.analysis.estimate import Estimate
from lab.figures import Axes, Canvas
from lab.figures.figure import LEAST_INTERVAL, LineLook
from lab.figures.marks import INK, PALE, TEXT_PT, number, with_unit

ROW_MM = 5.2
ROOM_BELOW, ROOM_ABOVE = 1.2, 2.7  # factors beyond the data: below to a round number, above for the last value
DOT_PT, LINE_PT = 5.5, 2.2
PITCH_MM, BAR, GAP_MM = 2.75, 0.62, 1.2  # of a tornado: from bar to bar; a bar's part of that; between rows
LEFT, RIGHT = 0.62, 3.2  # factors beyond its data, for the values at the ends of the bars
NAME_PT = 34  # from its axis to a row's name


@dataclass(frozen=True)
class Dot:
    """A row of a dot plot: a time (s), the longer time at the end of its line, and its look."""

    label: str
    value: Estimate
    end: float | None
    look: LineLook

    @property
    def longest(self) -> float:
        return self.end or self.value.value

    @property
    def words(self) -> str:
        end = f" to {with_unit(self.end, 'time')}" if self.end else ""
        return f"{with_unit(self.value.value, 'time')}{end}"


@dataclass(frozen=True)
class Dots:
    name: str
    label: str  # of the axis
    groups: tuple[tuple[str, tuple[Dot, ...]], ...]

    @property
    def dots(self) -> list[Dot]:
        return [dot for _, group in self.groups for dot in group]

    @property
    def alt(self) -> str:
        groups = (
            f"{heading}: {', '.join(f'{dot.label} {dot.words}' for dot in dots)}" for heading, dots in self.groups
        )
        return f"{self.label.capitalize()}, the axis logarithmic: {'; '.join(groups)}."

    def draw(self, canvas: Canvas) -> None:
        rows = list[str | Dot]()  # from top to bottom
        for heading, group in self.groups:
            rows += [heading, *group]
        height = (len(rows) + 0.6) * ROW_MM
        panel = canvas.panel(height)
        self._draw_axes(canvas, panel, rows)
        for place, row in enumerate(rows):
            if isinstance(row, Dot):
                value = row.value.value
                panel.plot(
                    [value, row.longest], [place] * 2, color=row.look.colour, linewidth=LINE_PT, solid_capstyle="butt"
                )
                panel.plot([value], [place], **row.look.style | {"linestyle": "-", "markersize": DOT_PT})
                canvas.write(panel, row.words, (row.longest, place), 5)
            else:
                panel.text(0, place, row, transform=panel.get_yaxis_transform(), va="center", fontsize=TEXT_PT)
        canvas.settle(height)

    def _draw_axes(self, canvas: Canvas, panel: Axes, rows: list[str | Dot]) -> None:
        values = [dot.value.value for dot in self.dots]
        places = [place for place, row in enumerate(rows) if isinstance(row, Dot)]
        low = canvas.decades(min(values) / 10, min(values) / ROOM_BELOW)[-1]
        high = max(dot.longest for dot in self.dots) * ROOM_ABOVE
        panel.set(xscale="log", xlim=(low, high), ylim=(len(rows) - 0.3, -0.8), xlabel=self.label)
        canvas.ticks(panel.xaxis, canvas.decades(low, high), lambda value: with_unit(value, "time"))
        canvas.named_rows(panel, places, [dot.label for dot in self.dots])
        panel.grid(visible=True, axis="x")
        panel.hlines(places, low, values, color=PALE, linewidth=0.6, linestyle=(0, (1, 2)))


@dataclass(frozen=True)
class Effect:
    """The effect of a parameter on a size: the values with the worst and the best result, and their ratio."""

    size: str
    worst: str
    best: str
    gain: Estimate
    colour: str
    doubt: str = ""  # in place of the best value where no difference was found

    @property
    def words(self) -> str:
        if self.doubt:
            return f"{self.size} {self.doubt}"
        return f"{self.size} {number(self.gain.value)} times with {self.best} in place of {self.worst}"


@dataclass(frozen=True)
class Tornado:
    """The effects of parameters: a row for each parameter, a bar for each size."""

    name: str
    label: str  # of the axis
    rows: tuple[tuple[str, tuple[Effect, ...]], ...]

    @property
    def alt(self) -> str:
        rows = (f"{name}: {', '.join(effect.words for effect in effects)}" for name, effects in self.rows)
        return f"{self.label.capitalize()}, logarithmic, by parameter and size: {'; '.join(rows)}."

    def draw(self, canvas: Canvas) -> None:
        height = sum(len(effects) * PITCH_MM + GAP_MM for _, effects in self.rows)
        panel = canvas.panel(height)
        self._draw_axes(canvas, panel, height)
        top, ticks = GAP_MM / 2, list[tuple[float, str]]()
        for name, effects in self.rows:
            places = [top + (place + 0.5) * PITCH_MM for place in range(len(effects))]
            middle = (0, sum(places) / len(places))
            canvas.write(panel, name, middle, -NAME_PT, xycoords=("axes fraction", "data"), fontsize=TEXT_PT)
            for effect, place in zip(effects, places, strict=True):
                _draw_effect(canvas, panel, effect, place)
                ticks.append((place, effect.size))
            top += len(effects) * PITCH_MM + GAP_MM
        canvas.named_rows(panel, *zip(*ticks, strict=True))
        canvas.settle(height)

    def _draw_axes(self, canvas: Canvas, panel: Axes, height: float) -> None:
        most = max(effect.gain.value for _, effects in self.rows for effect in effects)
        panel.set(xscale="log", xlim=(LEFT, most * RIGHT), ylim=(height, 0), xlabel=self.label)
        canvas.ticks(panel.xaxis, [2.0**power for power in range(ceil(log2(most)) + 1)], lambda value: f"{value:g}")
        panel.grid(visible=True, axis="x")
        panel.axvline(1.0, color=INK, linewidth=0.9, zorder=3)


def _draw_effect(canvas: Canvas, panel: Axes, effect: Effect, place: float) -> None:
    if effect.doubt:
        canvas.write(panel, effect.doubt, (1.0, place), 4)
        return
    gain, interval = effect.gain.value, effect.gain.interval
    panel.barh(place, gain - 1, BAR * PITCH_MM, left=1.0, color=effect.colour)
    end = gain
    if interval and interval.width > LEAST_INTERVAL * gain:
        panel.plot((interval.low, interval.high), (place, place), color=INK, linewidth=0.6)
        end = interval.high
    canvas.write(panel, effect.worst, (1.0, place), -3)
    canvas.write(panel, f"{effect.best}  ({number(gain)} times)", (end, place), 4)
