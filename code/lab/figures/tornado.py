"""Bars from the worst to the best value of each parameter, so that the parameters can be compared."""

from __future__ import annotations

from math import ceil, log2

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter

from lab.figures.errors import FigureError
from lab.figures.figure import Figure
from lab.figures.inputs import Effect, Tornado
from lab.figures.marks import INK
from lab.figures.plot import Plot, finish, new_panels, settle
from lab.figures.sized import LEAST_BAND
from lab.figures.style import SMALL_PT, style
from lab.figures.words import counts, number

PITCH_MM, BAR, GAP_MM = 2.75, 0.62, 1.2  # from bar to bar; a bar's part of that; between rows
LEFT, RIGHT = 0.62, 3.2  # the axis goes on by these factors, for the values at the ends of the bars
NAME_PT = 34  # from the axis to a row's name


def tornado(data: Tornado) -> Figure:
    """The figure, with its content in words."""
    if not data.rows:
        raise FigureError("a figure without a parameter", where=data.name, hint="run its trials", figure=data.name)
    height = sum(len(effects) * PITCH_MM + GAP_MM for _, effects in data.rows)
    with style():
        drawing, (panel,) = new_panels([height])
        _axes(panel, data, height)
        top = GAP_MM / 2
        ticks: list[tuple[float, str]] = []
        for name, effects in data.rows:
            places = [top + (place + 0.5) * PITCH_MM for place in range(len(effects))]
            _draw_row(panel, name, effects, places)
            ticks += [(at, effect.size) for at, effect in zip(places, effects, strict=True)]
            top += len(effects) * PITCH_MM + GAP_MM
        panel.set_yticks(*zip(*ticks, strict=True))
        settle(drawing, [panel], [height])
    n = counts([effect.gain for _, effects in data.rows for effect in effects], "repetitions", "lines")
    return finish(Plot(data.name, drawing, (panel,), _alt(data), n, data.keys))


def _axes(panel: Axes, data: Tornado, height: float) -> None:
    most = max(effect.gain.value for _, effects in data.rows for effect in effects)
    panel.set(xscale="log", xlim=(LEFT, most * RIGHT), ylim=(height, 0), xlabel=data.label)
    panel.xaxis.set_major_locator(FixedLocator([2.0**power for power in range(ceil(log2(most)) + 1)]))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.xaxis.set_minor_locator(FixedLocator([]))
    panel.grid(visible=True, axis="x")
    panel.axvline(1.0, color=INK, linewidth=0.9, zorder=3)
    panel.tick_params(axis="y", length=0)
    panel.spines["left"].set_visible(False)


def _draw_row(panel: Axes, name: str, effects: tuple[Effect, ...], places: list[float]) -> None:
    middle = (0, sum(places) / len(places))
    panel.annotate(
        name,
        middle,
        (-NAME_PT, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        va="center",
    )
    for effect, at in zip(effects, places, strict=True):
        gain, interval = effect.gain.value, effect.gain.interval
        if effect.doubt:
            _say(panel, effect.doubt, (1.0, at), 4)
            continue
        panel.barh(at, gain - 1, BAR * PITCH_MM, left=1.0, color=effect.colour)
        end = gain
        if interval and interval.width > LEAST_BAND * gain:
            panel.plot((interval.low, interval.high), (at, at), color=INK, linewidth=0.6)
            end = interval.high
        _say(panel, effect.worst, (1.0, at), -3)
        _say(panel, f"{effect.best}  ({number(gain)} times)", (end, at), 4)


def _say(panel: Axes, words: str, place: tuple[float, float], right_pt: float) -> None:
    """Words beside a place: on its right, or with a negative distance on its left."""
    side = "left" if right_pt > 0 else "right"
    panel.annotate(words, place, (right_pt, 0), textcoords="offset points", ha=side, va="center", fontsize=SMALL_PT)


def _alt(data: Tornado) -> str:
    rows = (f"{name}: " + ", ".join(map(_told, effects)) for name, effects in data.rows)
    return f"{data.label.capitalize()}, logarithmic, by parameter and size: {'; '.join(rows)}."


def _told(effect: Effect) -> str:
    if effect.doubt:
        return f"{effect.size} {effect.doubt}"
    return f"{effect.size} {number(effect.gain.value)} times with {effect.best} in place of {effect.worst}"
