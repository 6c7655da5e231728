"""Dot plots: values with intervals, and tornadoes of ratios."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log2

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter

from lab.figures.curves import LEAST_BAND, decades, with_unit
from lab.figures.inputs import Dot, Dots, Effect, Figure, FigureError, Tornado
from lab.figures.marks import INK, PALE, counts, number
from lab.figures.plot import Plot, finish, new_panels, settle
from lab.figures.style import SMALL_PT, TEXT_PT, style

ROW_MM = 5.2
ROOM_BELOW, ROOM_ABOVE = 1.2, 2.7  # times that the axis goes on: below to a round number, above for the last value
DOT_PT, LINE_PT = 5.5, 2.2


def dots(data: Dots) -> Figure:
    """The figure, with its content in words."""
    rows = list(_rows(data))
    height = (len(rows) + 0.6) * ROW_MM
    with style():
        drawing, (panel,) = new_panels([height])
        _axes(panel, data, rows)
        for place, row in enumerate(rows):
            if isinstance(row, Dot):
                _draw(panel, place, row)
            else:
                panel.text(0, place, row, transform=panel.get_yaxis_transform(), va="center", fontsize=TEXT_PT)
        settle(drawing, [panel], [height])
    n = min(row.value.n for row in rows if isinstance(row, Dot))
    return finish(Plot(data.name, drawing, (panel,), _alt(data), f"n = {n} repetitions or more", data.keys))


def _rows(data: Dots) -> Iterator[Dot | str]:
    """The rows from top to bottom; the heading of each group above its rows."""
    for heading, group in data.groups:
        yield heading
        yield from group


def _axes(panel: Axes, data: Dots, rows: list[Dot | str]) -> None:
    shown = [row for row in rows if isinstance(row, Dot)]
    least = min(row.value.value for row in shown)
    low = decades(least / 10, least / ROOM_BELOW)[-1]
    high = max(row.end or row.value.value for row in shown) * ROOM_ABOVE
    panel.set(xscale="log", xlim=(low, high), ylim=(len(rows) - 0.3, -0.8), xlabel=data.label)
    panel.xaxis.set_major_locator(FixedLocator(decades(low, high)))
    panel.xaxis.set_minor_locator(FixedLocator([]))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: with_unit(value, "time")))
    places = [place for place, row in enumerate(rows) if isinstance(row, Dot)]
    panel.set_yticks(places, [row.label for row in shown])
    panel.tick_params(axis="y", length=0)
    panel.spines["left"].set_visible(False)
    panel.grid(visible=True, axis="x")
    panel.hlines(places, low, [row.value.value for row in shown], color=PALE, linewidth=0.6, linestyle=(0, (1, 2)))


def _draw(panel: Axes, place: int, row: Dot) -> None:
    value, end = row.value.value, row.end or row.value.value
    panel.plot([value, end], [place, place], color=row.look.colour, linewidth=LINE_PT, solid_capstyle="butt")
    (dot,) = panel.plot([value], [place], color=row.look.colour, marker=row.look.marker, markersize=DOT_PT)
    dot.set(markerfacecolor="white" if row.look.is_open else row.look.colour)
    panel.annotate(_told(row), (end, place), (5, 0), textcoords="offset points", va="center", fontsize=SMALL_PT)


def _alt(data: Dots) -> str:
    told = "; ".join(
        f"{heading}: {', '.join(f'{row.label} {_told(row)}' for row in group)}" for heading, group in data.groups
    )
    return f"{data.label.capitalize()}, the axis logarithmic: {told}."


def _told(row: Dot) -> str:
    end = f" to {with_unit(row.end, 'time')}" if row.end else ""
    return f"{with_unit(row.value.value, 'time')}{end}"


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
        _tornado_axes(panel, data, height)
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
    return finish(Plot(data.name, drawing, (panel,), _tornado_alt(data), n, data.keys))


def _tornado_axes(panel: Axes, data: Tornado, height: float) -> None:
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


def _tornado_alt(data: Tornado) -> str:
    rows = (f"{name}: " + ", ".join(map(_tornado_told, effects)) for name, effects in data.rows)
    return f"{data.label.capitalize()}, logarithmic, by parameter and size: {'; '.join(rows)}."


def _tornado_told(effect: Effect) -> str:
    if effect.doubt:
        return f"{effect.size} {effect.doubt}"
    return f"{effect.size} {number(effect.gain.value)} times with {effect.best} in place of {effect.worst}"
