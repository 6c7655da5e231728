"""Figures of a varied parameter, and of lines continued past their points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lab.analysis.estimate import Estimate
from lab.analysis.ratios import Verdict, judge
from lab.figures.curves import Against
from lab.figures.dots import Effect, Tornado
from lab.figures.extrapolated import Extrapolated, Ray, RayPanel
from lab.figures.figure import Curve, keys_of
from lab.model.sizes import parse_size
from lab.report.exhibits.core import ABSENT, KINDS, LOOKS, Exhibits, cell, look_of, printed, require_data
from lab.report.query.grammar import Span, parse_query, references
from lab.report.query.numbers import Numbers
from lab.report.query.value import Value
from lab.report.tex.numbers import in_words, number_tex
from lab.report.tex.render import Markup

X = "{x}"  # in a query, in place of a value that a series varies
DOUBTS = {Verdict.WITHIN: "no difference", Verdict.CANT_TELL: "not certain"}
_VARIED = re.compile(r"([\w.-]+)\[([^\]]*)\]")


@dataclass(frozen=True)
class LinePanel:
    """A panel as a template writes it; `lines` are the sizes of each line, as queries spell them: `from 64K`."""

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
    """Times and lines drawn back to 0 bytes; a line that the data do not give is left out."""
    drawn = tuple(_ray_panel(exhibits, panel) for panel in panels)
    return exhibits.put(caption, Extrapolated(name, label, drawn, height))


def _ray_panel(exhibits: Exhibits, panel: LinePanel) -> RayPanel:
    times = exhibits.curve(panel.times, panel.times) or Curve(panel.times, (), ())
    small, words = exhibits.curve(panel.small, panel.small) if panel.small else None, ""
    rays = [_ray(exhibits, panel.times, sizes) for sizes in panel.lines if exhibits.has(_slope(panel.times, sizes))]
    if panel.beyond:
        base = _ray(exhibits, panel.times, "")
        beyond = (Estimate(y.value - base.at(x), None, y.n) for x, y in zip(times.x, times.y, strict=True))
        times, rays = replace(times, y=tuple(beyond)), [_less(ray, base) for ray in rays]
    if small:
        size = exhibits.sizes(panel.small)[0]
        words = f"{printed(exhibits.numbers.ask(f'{panel.small} at {size}'))}\n{in_words(parse_size(size))} measured"
    return RayPanel(panel.title, times, LOOKS[panel.look], tuple(rays), small, words, tuple(panel.breaks), panel.most)


def _slope(series: str, sizes: str) -> str:
    return f"{series}.slope {sizes}".strip()


def _ray(exhibits: Exhibits, series: str, sizes: str) -> Ray:
    slope, intercept = (exhibits.numbers.ask(f"{series}.{name} {sizes}".strip()) for name in ("slope", "intercept"))
    (reference,) = references(parse_query(_slope(series, sizes))[0])
    fitted = (reference.span or Span()).picks(tuple(map(parse_size, exhibits.sizes(series))))
    return Ray(
        fitted[0],
        fitted[-1],
        intercept.estimate.value,
        1 / slope.estimate.value,
        printed(intercept),
        printed(slope),
        _span_words(reference.span),
    )


def _span_words(span: Span | None) -> str:
    """The sizes in words: `up to 256 kB`."""
    low, high = (span.low, span.high) if span else (None, None)
    if low and high:
        return f"{in_words(low)} to {in_words(high)}"
    return f"from {in_words(low)}" if low else f"up to {in_words(high)}" if high else "through all sizes"


def _less(ray: Ray, base: Ray) -> Ray:
    return replace(ray, intercept_s=ray.intercept_s - base.intercept_s, slope_s=ray.slope_s - base.slope_s)


@dataclass(frozen=True)
class Found:
    """For a template: the smallest value that is as good as the best one, and what the best gains over the worst."""

    enough: Markup = ABSENT
    gain: Markup = ABSENT


@dataclass(frozen=True)
class Varied:
    """Figures and numbers of a varied value: `effect`, `tornado`, `against`. Queries have {x} in its place."""

    exhibits: Exhibits

    @property
    def numbers(self) -> Numbers:
        return self.exhibits.numbers

    def effect(self, pattern: str, size: str) -> Found:
        """The effect of a varied value at a size; dashes where the data have none."""
        effect = self._effect(pattern, size)
        return Found(Markup(number_tex(self.enough(pattern, size))), cell(effect[1])) if effect else Found()

    def tornado(self, name: str, caption: str, rows: Iterable[Sequence[str]], sizes: Sequence[str]) -> Markup:
        """A figure of the effects of parameters, the largest first: for each its name and a query with {x}."""
        drawn, gains = list[tuple[str, tuple[Effect, ...]]](), list[Value]()
        for words, pattern in rows:
            effects = [effect for size in sizes if (effect := self._effect(pattern, size))]
            drawn += [(words, tuple(effect for effect, _ in effects))] if effects else []
            gains += [gain for _, gain in effects]
        drawn.sort(key=lambda row: -max(effect.gain.value for effect in row[1]))
        label = "throughput with the best value over that with the worst"
        return self.exhibits.put(caption, Tornado(name, label, tuple(drawn), keys_of(gains)))

    def against(
        self,
        name: str,
        caption: str,
        axes: tuple[str, str, str],
        curves: Sequence[Sequence[str]],
        models: Sequence[Sequence[str]] = (),
        limits: Sequence[Sequence[str]] = (),
        height: float = 60.0,
        *,
        linear: bool = False,
    ) -> Markup:
        """A figure of queries against a query: `axes` are this query and the names of both axes. Curves, models and
        limits are a query and its name each, curves also their look; what no data answer is left out."""
        x, x_label, y_label = axes
        shown = [(query, words, values) for query, *words in curves if (values := self._values(query))]
        require_data(shown, "curve", name)
        first, _, values = shown[0]
        data = Against(
            name,
            x_label,
            y_label,
            KINDS[self.numbers.ask(first.replace(X, values[0])).dimension],
            tuple((self._number(x, value), x.replace(X, value).replace(" ", "")) for value in values),
            tuple(self._curve(x, query, words[0], values) for query, words, values in shown),
            tuple(look_of(words) for _, words, _ in shown),
            tuple(self._curve(x, query, label, values) for query, label in models if self._answers(query, values)),
            tuple((label, self._number(query)) for query, label in limits if self._answers(query, ("",))),
            linear,
            height,
        )
        return self.exhibits.put(caption, data)

    def enough(self, pattern: str, size: str) -> str:
        """The smallest value whose median is within the margin of the highest; what more gains may be luck."""
        rates = self._rates(pattern, size)
        least = max(rates.values()) * (1 - self.numbers.margin)
        return min((value for value, rate in rates.items() if rate >= least), key=float)

    def _effect(self, pattern: str, size: str) -> tuple[Effect, Value] | None:
        """The best value that is enough, or where the worst is as good, the best one."""
        rates = self._rates(pattern, size)
        if not rates:
            return None
        worst, enough = min(rates, key=rates.__getitem__), self.enough(pattern, size)
        best = max(rates, key=rates.__getitem__) if enough == worst else enough
        gain = self.numbers.ask(f"{pattern.replace(X, best)} / {pattern.replace(X, worst)} at {size}")
        doubt = DOUBTS.get(judge(gain.estimate, margin=self.numbers.margin), "")
        words = in_words(parse_size(size))
        return Effect(words, worst, best, gain.estimate, look_of([words]).colour, doubt), gain

    def _rates(self, pattern: str, size: str) -> dict[str, float]:
        query = f"{pattern} at {size}"
        return {value: self._number(query, value) for value in self._values(query)}

    def _values(self, query: str) -> tuple[str, ...]:
        """The values that the series of a query varies at {x}, where the data answer the query."""
        for name, point in _VARIED.findall(query):
            parts, series = [part.strip() for part in point.split(",")], self.numbers.series.get(name)
            if series and X in parts and len(parts) == len(series.vary):
                values = tuple(map(str, list(series.vary.values())[parts.index(X)]))
                return values if self._answers(query, values) else ()
        return ()

    def _answers(self, query: str, values: Sequence[str]) -> bool:
        return self.exhibits.has(*(query.replace(X, value) for value in values))

    def _curve(self, x: str, query: str, label: str, values: Sequence[str]) -> Curve:
        points = sorted((self._number(x, value), value) for value in values)
        answers = [self.numbers.ask(query.replace(X, value)) for _, value in points]
        estimates = tuple(answer.estimate for answer in answers)
        return Curve(label, tuple(place for place, _ in points), estimates, keys_of(answers))

    def _number(self, query: str, value: str = "") -> float:
        return self.exhibits.value(query.replace(X, value))
