"""Figures of a varied parameter, and of lines continued past their points."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lab.analysis.estimate import Estimate
from lab.analysis.ratios import Verdict, judge
from lab.figures.curves import Against, Extrapolated, Ray, RayPanel
from lab.figures.dots import Effect, Tornado
from lab.figures.figure import Curve, keys_of
from lab.figures.multiples import Multiples, Panel, PanelRow
from lab.model.sizes import parse_size
from lab.report.errors import ReportError
from lab.report.exhibits.core import ABSENT, Exhibits, cell, look_of, printed, require_data
from lab.report.query.grammar import Span, parse_query, references
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
    beyond: bool = False  # draw the times less the line through all of them


def extrapolated(
    exhibits: Exhibits, name: str, caption: str, label: str, panels: Sequence[LinePanel], height: float = 60.0
) -> Markup:
    """Times and lines extrapolated to 0 bytes; a line that the data do not have is left out."""
    drawn = tuple(_ray_panel(exhibits, panel) for panel in panels)
    curves = [curve for panel in drawn for curve in panel.curves]
    return exhibits.put(caption, Extrapolated(name, label, drawn, height), curves)


def _ray_panel(exhibits: Exhibits, panel: LinePanel) -> RayPanel:
    if (times := exhibits.curve(panel.times, panel.times, panel.look)) is None:
        raise ReportError(f"the data give no times of {panel.times}", hint="lab query")
    small, words = exhibits.curve(panel.small, panel.small) if panel.small else None, ""
    rays = [_ray(exhibits, panel.times, sizes) for sizes in panel.lines if exhibits.has(f"{panel.times}.slope {sizes}")]
    if panel.beyond:
        base = _ray(exhibits, panel.times, "")
        beyond = (Estimate(y.value - base.at(x), None, y.n) for x, y in zip(times.x, times.y, strict=True))
        times = replace(times, y=tuple(beyond))
        fixed, slope = base.intercept_s, base.slope_s
        rays = [replace(ray, intercept_s=ray.intercept_s - fixed, slope_s=ray.slope_s - slope) for ray in rays]
    if small:
        size = exhibits.sizes_of(panel.small)[0]
        words = f"{printed(exhibits.numbers.ask(f'{panel.small} at {size}'))}\n{in_words(parse_size(size))} measured"
    return RayPanel(panel.title, times, tuple(rays), small, words, tuple(panel.breaks), panel.most)


def _ray(exhibits: Exhibits, series: str, sizes: str) -> Ray:
    queries = [f"{series}.{name} {sizes}".strip() for name in ("slope", "intercept")]
    slope, intercept = map(exhibits.numbers.ask, queries)
    (reference,) = references(parse_query(queries[0])[0])
    span = reference.span or Span()
    fitted = span.picks(tuple(map(parse_size, exhibits.sizes_of(series))))
    speed, words = 1 / slope.estimate.value, (printed(intercept), printed(slope), _span_words(span))
    return Ray(fitted[0], fitted[-1], intercept.estimate.value, speed, *words)


def _span_words(span: Span) -> str:
    if span.low and span.high:
        return f"{in_words(span.low)} to {in_words(span.high)}"
    if span.low:
        return f"from {in_words(span.low)}"
    return f"up to {in_words(span.high)}" if span.high else "through all sizes"


@dataclass(frozen=True)
class Found:
    """For a template: the smallest value that is as good as the best one, and the gain of the best over the worst."""

    enough: Markup = ABSENT
    gain: Markup = ABSENT


def effect(exhibits: Exhibits, pattern: str, size: str) -> Found:
    """The effect of a varied value at a size; dashes if the data have none. A pattern is a query with {x}."""
    effect = _effect(exhibits, pattern, size)
    return Found(Markup(number_tex(enough(exhibits, pattern, size))), cell(effect[1])) if effect else Found()


def tornado(exhibits: Exhibits, name: str, caption: str, rows: Iterable[Sequence[str]], sizes: Sequence[str]) -> Markup:
    """A figure of the effects of parameters, the largest first: for each its name and a query with {x}."""
    drawn, gains = list[tuple[str, tuple[Effect, ...]]](), list[Value]()
    for label, pattern in rows:
        if effects := [effect for size in sizes if (effect := _effect(exhibits, pattern, size))]:
            drawn.append((label, tuple(effect for effect, _ in effects)))
            gains += [gain for _, gain in effects]
    require_data(drawn, "effect", name)
    drawn.sort(key=lambda row: -max(effect.gain.value for effect in row[1]))
    label = "throughput with the best value over that with the worst"
    return exhibits.put(caption, Tornado(name, label, tuple(drawn)), gains)


def against(
    exhibits: Exhibits,
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
    """A figure of queries against a query: `axes` are this query and the names of both axes. Curves, models and limits
    are a query and its name each, curves also their look; a query without an answer is left out."""
    x, x_label, y_label = axes
    shown = [(query, words, values) for query, *words in curves if (values := _values(exhibits, query))]
    require_data(shown, "curve", name)
    first, _, values = shown[0]
    data = Against(
        name,
        x_label,
        y_label,
        exhibits.kind(first.replace(X, values[0])),
        tuple((exhibits.value(query), query.replace(" ", "")) for query in _queries(x, values)),
        tuple(_curve(exhibits, x, query, words, values) for query, words, values in shown),
        tuple(
            _curve(exhibits, x, query, words, values)
            for query, *words in models
            if exhibits.has(*_queries(query, values))
        ),
        tuple((label, exhibits.value(query)) for query, label in limits if exhibits.has(query)),
        linear,
        height,
    )
    return exhibits.put(caption, data, data.curves)


def multiples_against(
    exhibits: Exhibits,
    name: str,
    caption: str,
    titles: Sequence[str],
    x_label: str,
    rows: Sequence[tuple[str, Sequence[Sequence[Sequence[str]]]]],
    height: float = 40.0,
) -> Markup:
    """A figure of small panels against a value that series vary. A row is a label and the curves of each title, as
    `against` takes them; a curve without an answer is left out."""
    drawn = []
    for label, cells in rows:
        shown = [[(each, values) for each in cell if (values := _values(exhibits, each[0]))] for cell in cells]
        require_data([each for each in shown if each], "curve", name)
        first, values = next(each for cell in shown for each in cell)
        panels = (
            Panel(title, tuple(_curve(exhibits, X, query, words, values) for (query, *words), values in cell))
            for title, cell in zip(titles, shown, strict=True)
        )
        kind = exhibits.kind(first[0].replace(X, values[0]))
        drawn.append(PanelRow(label, tuple(panels), is_linear=False, kind=kind, x_label=x_label))
    curves = [curve for row in drawn for curve in row.curves]
    return exhibits.put(caption, Multiples(name, tuple(drawn), height), curves)


def enough(exhibits: Exhibits, pattern: str, size: str) -> str:
    """The smallest value whose median is within the margin of the highest: a larger gain may be luck."""
    rates = _rates(exhibits, pattern, size)
    least = max(rates.values()) * (1 - exhibits.numbers.margin)
    return min((value for value, rate in rates.items() if rate >= least), key=float)


def _effect(exhibits: Exhibits, pattern: str, size: str) -> tuple[Effect, Value] | None:
    rates, numbers = _rates(exhibits, pattern, size), exhibits.numbers
    if not rates:
        return None
    worst, best = min(rates, key=rates.__getitem__), enough(exhibits, pattern, size)
    if best == worst:
        best = max(rates, key=rates.__getitem__)
    gain = numbers.ask(f"{pattern.replace(X, best)} / {pattern.replace(X, worst)} at {size}")
    doubt = DOUBTS.get(judge(gain.estimate, margin=numbers.margin), "")
    words = in_words(parse_size(size))
    return Effect(words, worst, best, gain.estimate, look_of([words]).colour, doubt), gain


def _rates(exhibits: Exhibits, pattern: str, size: str) -> dict[str, float]:
    values = _values(exhibits, f"{pattern} at {size}")
    return {value: exhibits.value(f"{pattern.replace(X, value)} at {size}") for value in values}


def _values(exhibits: Exhibits, query: str) -> tuple[str, ...]:
    for name, point in _VARIED.findall(query):
        parts, series = [part.strip() for part in point.split(",")], exhibits.numbers.series.get(name)
        if series and X in parts and len(parts) == len(series.vary):
            values = tuple(map(str, list(series.vary.values())[parts.index(X)]))
            return values if exhibits.has(*_queries(query, values)) else ()
    return ()


def _queries(query: str, values: Iterable[str]) -> list[str]:
    return [query.replace(X, value) for value in values]


def _curve(exhibits: Exhibits, x: str, query: str, words: Sequence[str], values: Sequence[str]) -> Curve:
    points = sorted(zip(map(exhibits.value, _queries(x, values)), values, strict=True))
    answers = [exhibits.numbers.ask(query.replace(X, value)) for _, value in points]
    estimates = tuple(answer.estimate for answer in answers)
    return Curve(words[0], tuple(position for position, _ in points), estimates, keys_of(answers), look_of(words))
