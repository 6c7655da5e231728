"""Figures of a varied parameter, and of lines continued past their points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lab.analysis.estimate import Estimate
from lab.analysis.ratios import Verdict, judge
from lab.figures.drawers import against, tornado
from lab.figures.drawers import extrapolated as drawer
from lab.figures.inputs import Against, Curve, Effect, Extrapolated, Ray, RayPanel, Tornado
from lab.model.sizes import parse_size
from lab.report.errors import ReportError
from lab.report.exhibits.core import KINDS, LOOKS, Exhibits, Sketch, cell, look_of, printed
from lab.report.query.grammar import QueryError, Span, parse_query, references
from lab.report.query.numbers import Numbers
from lab.report.query.value import Value
from lab.report.tex.numbers import in_words, number_tex
from lab.report.tex.render import Markup


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


X, NONE = "{x}", Markup("--")
DOUBTS = {Verdict.WITHIN: "no difference", Verdict.CANT_TELL: "not certain"}
_VARIED = re.compile(r"([\w.-]+)\[([^\]]*)\]")


@dataclass(frozen=True)
class Found:
    """For a template: the smallest value that is as good as the best one, and what the best gains over the worst."""

    enough: Markup = NONE
    gain: Markup = NONE


@dataclass(frozen=True)
class Varied:
    """What a template can ask about a varied value: `effect`, `tornado`, `against`."""

    exhibits: Exhibits

    @property
    def numbers(self) -> Numbers:
        return self.exhibits.numbers

    def effect(self, pattern: str, size: str) -> Found:
        """The effect of a varied value at a size; dashes where the data have none."""
        found = self._effect(pattern, size)
        return Found(Markup(number_tex(self.enough(pattern, size))), cell(found[1])) if found else Found()

    def tornado(self, name: str, caption: str, rows: Iterable[Sequence[str]], sizes: Sequence[str]) -> Markup:
        """A figure of the effects of parameters, the largest first: for each its name and a query with {x}."""
        drawn, keys = [], list[str]()
        for words, pattern in rows:
            found = [effect for size in sizes if (effect := self._effect(pattern, size))]
            drawn += [(words, tuple(effect for effect, _ in found))] if found else []
            keys += [key for _, value in found for key in value.keys]
        drawn.sort(key=lambda row: -max(effect.gain.value for effect in row[1]))
        data = Tornado(name, "throughput with the best value over that with the worst", tuple(drawn), _unique(keys))
        return self.exhibits.put(Sketch(name, caption, data, tornado))

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
        """A figure of queries with {x} against a query with {x}: `axes` are this query and the names of both axes.
        Curves, models and limits are a query and its name each, curves also their look; what no data answer is left
        out."""
        x, x_label, y_label = axes
        shown = [(query, words) for query, *words in curves if self._values(query)]
        if not shown:
            raise ReportError(f"the data give no curve of {name}", hint="lab query")
        values = self._values(shown[0][0])
        lines = tuple(self._curve(x, query, words[0], self._values(query)) for query, words in shown)
        data = Against(
            *(name, x_label, y_label, self._kind(shown[0][0], values)),
            tuple((self._number(x, value), x.replace(X, value).replace(" ", "")) for value in values),
            lines,
            tuple(look_of(words) for _, words in shown),
            tuple(self._curve(x, query, label, values) for query, label in models if self._answers(query, values)),
            tuple((label, self._number(query)) for query, label in limits if self._answers(query, ("",))),
            linear,
            height,
        )
        return self.exhibits.put(Sketch(name, caption, data, against))

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

    def enough(self, pattern: str, size: str) -> str:
        """The smallest value whose median is within the margin of the highest; what more gains may be luck."""
        rates = self._rates(pattern, size)
        least = max(rates.values()) * (1 - self.numbers.margin)
        return min((value for value, rate in rates.items() if rate >= least), key=float)

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
        try:
            return all(self.numbers.ask(query.replace(X, value)) for value in values)
        except QueryError:
            return False

    def _curve(self, x: str, query: str, label: str, values: Sequence[str]) -> Curve:
        points = sorted((self._number(x, value), value) for value in values)
        answers = [self.numbers.ask(query.replace(X, value)) for _, value in points]
        keys = _unique(key for answer in answers for key in answer.keys)
        return Curve(label, tuple(place for place, _ in points), tuple(answer.estimate for answer in answers), keys)

    def _kind(self, query: str, values: Sequence[str]) -> str:
        return KINDS[self.numbers.ask(query.replace(X, values[0])).dimension]

    def _number(self, query: str, value: str = "") -> float:
        return self.numbers.ask(query.replace(X, value)).estimate.value


def _unique(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(keys))
