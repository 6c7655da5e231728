"""Figures of one topic each: dots, small panels, rounds, tails, parts of a time, causes, varied parameters, lines."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import gcd
from statistics import median

from lab.analysis.estimate import Estimate
from lab.analysis.ratios import Verdict, judge
from lab.causes.table import OTHER, WAITING
from lab.experiment.reader import read_card
from lab.figures.curves import Against, Beside, QueueInTime, Ray, RayPanel
from lab.figures.dots import Dot, Dots, Effect, Tornado
from lab.figures.figure import Curve, keys_of
from lab.figures.multiples import Multiples, Panel, PanelRow
from lab.figures.repetitions import ByRound, Distribution, Matrix, MatrixRow, Tails
from lab.figures.stacks import Parts, Stack, Stacks
from lab.model.sizes import parse_size
from lab.report.errors import ReportError
from lab.report.evidence.curve import MeasuredCurve
from lab.report.evidence.labels import label_within
from lab.report.exhibits.core import ABSENT, Exhibits, cell, look_of, printed, require_data
from lab.report.query.grammar import Reference, Span, parse_query, references
from lab.report.query.value import Value
from lab.report.tex.numbers import NANO, in_words, number_tex
from lab.report.tex.render import Markup

Rows = Sequence[Sequence[str]]  # each a series or a query, its name, and where that is another one, its look
# The kinds of work in the figure, from the program down to the wire.
WORK = {
    "program": "program",
    "user library": "program",
    "system calls": "system calls",
    "wake-ups": "system calls",
    "copies": "copies and checksums",
    "checksums": "copies and checksums",
    "packets": "protocol and driver",
    "buffers": "protocol and driver",
    "card's driver": "protocol and driver",
    WAITING: WAITING,
}
WORK_KINDS = (*dict.fromkeys(list(WORK.values())[:-1]), OTHER, WAITING)
MOST_SIZES = 3  # of causes
DEPTH = "queue.bytes_at_"  # a counter of each interval in which frames waited
CAUSES = "Instructions of a message, each a nanosecond; at the right their number. Polls that find nothing are waiting."


def dots(
    exhibits: Exhibits, name: str, caption: str, label: str, size: str, groups: Sequence[tuple[str, Rows]]
) -> Markup:
    """Times at one message size, without the series that the data lack and the headings that have no row."""
    answers = [(heading, list(_dots(exhibits, size, rows))) for heading, rows in groups]
    require_data([rows for _, rows in answers if rows], "row", name)
    drawn = tuple((heading, tuple(dot for dot, _ in rows)) for heading, rows in answers if rows)
    return exhibits.put(caption, Dots(name, label, drawn), [value for _, rows in answers for _, value in rows])


def _dots(exhibits: Exhibits, size: str, rows: Rows) -> Iterator[tuple[Dot, Value]]:
    """A dot for each row that has data, with the answer that it shows."""
    for series, *words in rows:
        if exhibits.has(query := f"{series} at {size}"):
            value, slow = exhibits.numbers.ask(query), f"{series}.p99 at {size}"
            end = exhibits.value(slow) if exhibits.has(slow) else None
            yield Dot(words[0], value.estimate, end, look_of(words)), value


def multiples(
    exhibits: Exhibits,
    name: str,
    caption: str,
    titles: Sequence[str],
    rows: Sequence[tuple[str, str, Sequence[Rows]]],
    height: float = 36.0,
) -> Markup:
    """A figure of small panels. A row is a label, its axis (`linear`, `log` with a mark at each jump, or `plain`: `log`
    without marks), and the curves of each title, as `plot` takes them; a column whose curves no data answer is left
    out."""
    _, _, first = rows[0]
    shown = [at for at, queries in enumerate(first) if any(exhibits.curve(*query) for query in queries)]
    require_data(shown, "curve", name)
    drawn = tuple(
        PanelRow(
            label,
            tuple(_panel(exhibits, titles[at], cells[at], has_steps=scale == "log") for at in shown),
            scale == "linear",
            exhibits.kind_at_sizes(cells[shown[0]][0][0]),
        )
        for label, scale, cells in rows
    )
    curves = [curve for row in drawn for curve in row.curves]
    return exhibits.put(caption, Multiples(name, drawn, height), curves)


def _panel(exhibits: Exhibits, title: str, queries: Rows, *, has_steps: bool) -> Panel:
    curves, steps = [(row[0], curve) for row in queries if (curve := exhibits.curve(*row))], []
    for query, curve in curves if has_steps else ():
        if exhibits.has(jump := f"{query}.jump.size"):
            above = exhibits.value(jump)
            steps.append((max(x for x in curve.x if x < above), above, curve.look.colour))
    return Panel(title, tuple(curve for _, curve in curves), tuple(steps))


def agreed(exhibits: Exhibits, name: str, caption: str, rows: Rows) -> Markup:
    """A row for each series with its name and look, a square for each repetition at each size."""
    curves = [(_measured(exhibits, series), words) for series, *words in rows if series in exhibits.numbers.series]
    columns, drawn = sorted({size for curve, _ in curves for size in curve.sizes}), []
    for curve, words in curves:
        rounds = map(curve.rounds.get, columns)
        cells = tuple((part.reached, len(part.counts)) if part else None for part in rounds)
        drawn.append(MatrixRow(words[0], look_of(words), cells, curve.keys(curve.sizes)))
    return exhibits.put(caption, Matrix(name, tuple(map(float, columns)), tuple(drawn)), drawn)


def by_round(exhibits: Exhibits, name: str, caption: str, curves: Rows) -> Markup:
    """The rounds of the first repetition of series at sizes: series, size, name and look of each; nothing for the
    reference, whose tables have no single round."""
    if exhibits.numbers.evidence.unmeasured:
        return Markup("")
    drawn = tuple(_rounds(_measured(exhibits, series), parse_size(size), words) for series, size, *words in curves)
    band = _measured(exhibits, curves[0][0]).limits.target
    return exhibits.put(caption, ByRound(name, drawn, band), drawn)


def _rounds(curve: MeasuredCurve, size: int, words: Sequence[str]) -> Curve:
    """The rate of each round of the first repetition over the median of the last ones, which the stop rule compares."""
    rates = curve.rounds[size].rates[0]
    last = median(rates[-curve.limits.window :])
    over = tuple(Estimate(rate / last, None, 1) for rate in rates)
    numbers = tuple(map(float, range(1, len(rates) + 1)))
    return Curve(words[0], numbers, over, curve.keys([size]), look_of(words))


def _measured(exhibits: Exhibits, name: str) -> MeasuredCurve:
    return exhibits.numbers.curve(exhibits.numbers.series[name], {})


def tails(exhibits: Exhibits, name: str, caption: str, size: str, rows: Rows) -> Markup:
    """Distributions, all repetitions of a series together; a series without single round trips is left out. Nothing for
    the reference, whose tables have none."""
    if exhibits.numbers.evidence.unmeasured:
        return Markup("")
    drawn = list[Distribution]()
    for series, *words in rows:
        curve = _measured(exhibits, series) if series in exhibits.numbers.series else None
        trips = curve.round_trips(parse_size(size)) if curve else []
        if curve and any(trips):
            samples = tuple(float(trip) for repetition in trips for trip in repetition)
            drawn.append(Distribution(words[0], samples, look_of(words), curve.keys([parse_size(size)])))
    require_data(drawn, "round trips", name)
    return exhibits.put(caption, Tails(name, tuple(drawn)), drawn)


def queues(exhibits: Exhibits, name: str, caption: str, rows: Rows, height: float = 38.0) -> Markup:
    """The depth of the switch's queue before rank 0 in time, in the first repetition of each row: a query of a series,
    the name of its panel, and its look. Nothing for the reference, whose tables have no counters."""
    if exhibits.numbers.evidence.unmeasured:
        return Markup("")
    drawn = tuple(_queue(exhibits, query, words) for query, *words in rows if exhibits.has(query))
    require_data(drawn, "queue", name)
    alt = f"Bytes that wait in the switch, in time: {', '.join(queue.words for queue in drawn)}."
    return exhibits.put(caption, Beside(name, alt, drawn, height), drawn)


def _queue(exhibits: Exhibits, query: str, words: Sequence[str]) -> QueueInTime:
    key = exhibits.numbers.ask(query).keys[0]
    facts = exhibits.numbers.evidence.facts[key]
    counted = ((name.partition(DEPTH), count) for name, count in facts.measured.counters_after.items())
    depths = sorted((int(at), count) for (before, name, at), count in counted if name and not before)
    interval = gcd(*(at for at, _ in depths))
    in_time = tuple((at * NANO, count) for at, count in depths)
    return QueueInTime(words[0], interval * NANO, in_time, facts.asked.link.queue_bytes, look_of(words), (key,))


def parts(exhibits: Exhibits, name: str, caption: str, label: str, kinds: Sequence[str], bars: Rows) -> Markup:
    """Parts of times; each bar is its name, the query of the whole, and one for each kind but the last, or nothing."""
    shown = [bar for bar in bars if exhibits.has(*filter(None, bar[1:]))]
    require_data(shown, "bar", name)
    assumed = [any(_is_assumed(exhibits, bar[2 + at]) for bar in shown) for at in range(len(kinds) - 1)]
    drawn = []
    for words, whole, *queries in shown:
        values = [exhibits.value(query) if query else 0.0 for query in queries]
        drawn.append((words, (*values, exhibits.value(whole) - sum(values))))
    marked, wholes = tuple(zip(kinds, [*assumed, False], strict=True)), [bar[1] for bar in shown]
    return exhibits.put(caption, Parts(name, label, marked, tuple(drawn)), map(exhibits.numbers.ask, wholes))


def _is_assumed(exhibits: Exhibits, query: str) -> bool:
    """Whether a part is a parameter of a card, and its file calls the value an assumption."""
    part = parse_query(query)[0] if query else None
    card, _, parameter = part.path.partition(".") if isinstance(part, Reference) else ("", "", "")
    if card not in exhibits.numbers.cards:
        return False
    return any(value.origin == "assumed" for key, value in read_card(card).known.items() if key.startswith(parameter))


def causes(exhibits: Exhibits, names: Mapping[str, str] | None = None) -> Markup:
    """Instructions by kind of work, with a report's names for series; nothing if they were not counted."""
    evidence, groups = exhibits.numbers.evidence, defaultdict[int, list[Stack]](list)
    counted = evidence.causes
    sizes = sorted({row.size_bytes for row in counted})
    if len(sizes) > MOST_SIZES:
        sizes = [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
    for (series, size, end), rows in groupby(counted, lambda row: (row.series, row.size_bytes, row.end)):
        parts = defaultdict[str, float](float)
        for row in rows:
            parts[WORK.get(row.work, OTHER)] += row.per_message
        if size in sizes:
            label = (names or {}).get(series) or label_within(evidence.plan.experiment, evidence.series(series))
            groups[size].append(Stack(f"{label}, {end}", tuple(parts.items())))
    if not groups:
        return Markup("")
    bars = tuple((float(size), tuple(groups[size])) for size in sizes)
    return exhibits.put(CAUSES, Stacks("causes", bars, WORK_KINDS, WAITING, evidence.plan.site.name), ())


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
    alt = f"{label} against message size, linear axes. {' '.join(panel.words for panel in drawn)}"
    curves = [curve for panel in drawn for curve in panel.curves]
    return exhibits.put(caption, Beside(name, alt, drawn, height, label), curves)


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
