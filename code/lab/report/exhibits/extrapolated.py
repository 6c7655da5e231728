"""Figures of times with straight lines drawn back to 0 bytes: what a template asks for, as what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab.analysis.estimate import Estimate
from lab.figures import Curve, Extrapolated, Ray, RayPanel
from lab.figures.drawers import extrapolated as drawer
from lab.model.sizes import parse_size
from lab.report.exhibits.core import LOOKS, Exhibits, printed
from lab.report.exhibits.gallery import Sketch
from lab.report.query.grammar import Span, parse_query, references
from lab.report.tex.escape import Markup
from lab.report.tex.units import in_words


@dataclass(frozen=True)
class LinePanel:
    """What a template says of a panel; `lines` are the sizes of each line, as queries spell them: `from 64K`."""

    times: str  # a series
    title: str
    look: str
    lines: Sequence[str] = ("",)
    small: str = ""  # a series of small messages
    breaks: Sequence[tuple[str, float]] = ()
    most: float = 0.0
    beyond: bool = False  # what the times leave of the line through all of them


def extrapolated(
    exhibits: Exhibits, name: str, caption: str, label: str, panels: Sequence[LinePanel], height: float = 60.0
) -> Markup:
    """The figure at its place; a line that the data do not give is left out."""
    drawn = tuple(_panel(exhibits, panel) for panel in panels)
    return exhibits.put(Sketch(name, caption, Extrapolated(name, label, drawn, height), drawer))


def _panel(exhibits: Exhibits, asked: LinePanel) -> RayPanel:
    times = exhibits.curve(asked.times, asked.times) or Curve(asked.times, (), ())
    small = exhibits.curve(asked.small, asked.small) if asked.small else None
    rays = [_ray(exhibits, asked.times, sizes) for sizes in asked.lines if exhibits.has(_slope(asked.times, sizes))]
    if asked.beyond:
        base = _ray(exhibits, asked.times, "")
        times, rays = _beyond(times, base), [_less(ray, base) for ray in rays]
    words = _smallest(exhibits, asked.small) if small else ""
    return RayPanel(asked.title, times, LOOKS[asked.look], tuple(rays), small, words, tuple(asked.breaks), asked.most)


def _smallest(exhibits: Exhibits, series: str) -> str:
    """`2.19 µs` and the size of that message, on two lines."""
    size = exhibits.sizes(series)[0]
    return f"{printed(exhibits.numbers.ask(f'{series} at {size}'))}\n{in_words(parse_size(size))} measured"


def _slope(series: str, sizes: str) -> str:
    return f"{series}.slope {sizes}".strip()


def _ray(exhibits: Exhibits, series: str, sizes: str) -> Ray:
    slope, intercept = (exhibits.numbers.ask(f"{series}.{name} {sizes}".strip()) for name in ("slope", "intercept"))
    (asked,) = references(parse_query(_slope(series, sizes))[0])
    picked = (asked.span or Span()).picks(tuple(map(parse_size, exhibits.sizes(series))))
    return Ray(
        picked[0],
        picked[-1],
        intercept.estimate.value,
        1 / slope.estimate.value,
        printed(intercept),
        printed(slope),
        _words(asked.span),
    )


def _words(span: Span | None) -> str:
    """The sizes in words: `up to 256 kB`."""
    low, high = (span.low, span.high) if span else (None, None)
    if low and high:
        return f"{in_words(low)} to {in_words(high)}"
    return f"from {in_words(low)}" if low else f"up to {in_words(high)}" if high else "through all sizes"


def _beyond(times: Curve, base: Ray) -> Curve:
    points = zip(times.x, times.y, strict=True)
    return replace(times, y=tuple(Estimate(y.value - base.at(x), None, y.n) for x, y in points))


def _less(ray: Ray, base: Ray) -> Ray:
    return replace(ray, intercept_s=ray.intercept_s - base.intercept_s, slope_s=ray.slope_s - base.slope_s)
