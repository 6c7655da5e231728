"""Figures of one topic each: panels, rounds, tails, parts of a time, causes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from lab.analysis.estimate import Estimate
from lab.causes.table import OTHER, WAITING
from lab.experiment.reader import read_card
from lab.figures import drawers
from lab.figures.drawers import dots as draw_dots
from lab.figures.drawers import multiples as drawn
from lab.figures.drawers import own, stacks
from lab.figures.drawers import parts as draw_parts
from lab.figures.drawers import tails as draw_tails
from lab.figures.inputs import (
    ByRound,
    Curve,
    Distribution,
    Dot,
    Dots,
    Matrix,
    MatrixRow,
    Multiples,
    Own,
    Panel,
    PanelRow,
    Parts,
    Stack,
    Stacks,
    Tails,
)
from lab.model.sizes import parse_size
from lab.report.errors import ReportError
from lab.report.exhibits.core import Exhibits, Gallery, Sketch, look_of
from lab.report.query.grammar import Reference, parse_query
from lab.report.query.measures import MeasuredCurve
from lab.report.query.value import Value
from lab.report.tex.render import Markup, escape
from lab.report.text.own_figures import OwnFigure, own_figures, read_points
from lab.report.topics.causes import MessageCost, costs
from lab.report.topics.times import round_trips, trips

Group = tuple[str, Sequence[Sequence[str]]]  # a heading, and for each row its series, its name and its look


def dots(exhibits: Exhibits, name: str, caption: str, label: str, size: str, groups: Sequence[Group]) -> Markup:
    """The figure at one message size, without the series that the data lack and the headings that have no row."""
    answers = [(heading, list(_answers(exhibits, size, rows))) for heading, rows in groups]
    if not any(rows for _, rows in answers):
        raise ReportError(f"the data give no row of {name}", hint="lab query")
    keys = dict.fromkeys(key for _, rows in answers for _, value in rows for key in value.keys)
    drawn = tuple((heading, tuple(dot for dot, _ in rows)) for heading, rows in answers if rows)
    return exhibits.put(Sketch(name, caption, Dots(name, label, drawn, tuple(keys)), draw_dots))


def _answers(exhibits: Exhibits, size: str, rows: Sequence[Sequence[str]]) -> Iterator[tuple[Dot, Value]]:
    """A dot for each row that has data, with the answer that it shows."""
    for series, *words in rows:
        if exhibits.has(query := f"{series} at {size}"):
            value, slow = exhibits.numbers.ask(query), f"{series}.p99 at {size}"
            end = exhibits.numbers.ask(slow).estimate.value if exhibits.has(slow) else None
            yield Dot(words[0], value.estimate, end, look_of(words)), value


Queries = Sequence[Sequence[str]]  # each with its name and, where that is another one, its look


def multiples(
    exhibits: Exhibits,
    name: str,
    caption: str,
    titles: Sequence[str],
    rows: Sequence[tuple[str, str, Sequence[Queries]]],
    height: float = 36.0,
) -> Markup:
    """A figure of small panels. A row is a label, `linear` or `log`, and the curves of each title, as `plot` takes
    them; a column whose curves no data answer is left out."""
    _, _, first = rows[0]
    shown = [at for at, queries in enumerate(first) if any(exhibits.curve(*each[:2]) for each in queries)]
    if not shown:
        raise ReportError(f"the data give no curve of {name}", hint="lab query")
    panels = [[_panel(exhibits, titles[at], cells[at], scale) for at in shown] for _, scale, cells in rows]
    labelled = zip(rows, panels, strict=True)
    drawn_rows = tuple(PanelRow(label, tuple(row), scale == "linear") for (label, scale, _), row in labelled)
    return exhibits.put(Sketch(name, caption, Multiples(name, drawn_rows, height), drawn))


def _panel(exhibits: Exhibits, title: str, queries: Queries, scale: str) -> Panel:
    found = [(query, curve, look_of(words)) for query, *words in queries if (curve := exhibits.curve(query, words[0]))]
    steps = [(*step, look.colour) for query, curve, look in found if (step := _step(exhibits, query, curve))]
    steps = steps if scale == "log" else []
    return Panel(title, tuple(curve for _, curve, _ in found), tuple(look for *_, look in found), tuple(steps))


def _step(exhibits: Exhibits, query: str, curve: Curve) -> tuple[float, float] | None:
    """The sizes below and above the largest jump of a series."""
    if not exhibits.has(f"{query}.jump.size"):
        return None
    above = exhibits.numbers.ask(f"{query}.jump.size").estimate.value
    return max(x for x in curve.x if x < above), above


PASSED = "Repetitions whose rounds agreed"


def agreed(exhibits: Exhibits, name: str, caption: str, rows: Sequence[Sequence[str]]) -> Markup:
    """A row for each series with its name and look, a square for each repetition at each size."""
    curves = [(_curve(exhibits, series), words) for series, *words in rows if series in exhibits.numbers.series]
    columns = sorted({size for curve, _ in curves for size in curve.sizes})
    drawn = tuple(_row(curve, words, columns) for curve, words in curves)
    data = Matrix(name, PASSED, tuple(map(float, columns)), drawn)
    return exhibits.put(Sketch(name, caption, data, drawers.matrix))


def by_round(exhibits: Exhibits, name: str, caption: str, curves: Sequence[Sequence[str]]) -> Markup:
    """The rounds of the first repetition of series at sizes: series, size, name and look of each."""
    drawn = tuple(_rounds(_curve(exhibits, series), parse_size(size), words[0]) for series, size, *words in curves)
    band = _curve(exhibits, curves[0][0]).limits.target
    data = ByRound(name, drawn, tuple(look_of(words) for words in curves), band)
    return exhibits.put(Sketch(name, caption, data, drawers.by_round))


def _rounds(curve: MeasuredCurve, size: int, label: str) -> Curve:
    """The rate of each round of the first repetition over the median of those that the stop rule looked at last."""
    rates = curve.rounds[size].rates[0]
    last = median(rates[-curve.limits.window :])
    over = tuple(Estimate(rate / last, None, 1) for rate in rates)
    return Curve(label, tuple(float(number) for number, _ in enumerate(rates, 1)), over, curve.subject.keys([size]))


def _curve(exhibits: Exhibits, name: str) -> MeasuredCurve:
    return exhibits.numbers.curve(exhibits.numbers.series[name], {}, "", "")


def _row(curve: MeasuredCurve, words: Sequence[str], columns: Sequence[int]) -> MatrixRow:
    cells = tuple((part.reached, len(part.counts)) if (part := curve.rounds.get(size)) else None for size in columns)
    return MatrixRow(words[0], look_of(words), cells, curve.subject.keys(curve.sizes))


def tails(exhibits: Exhibits, name: str, caption: str, size: str, series: Sequence[Sequence[str]]) -> Markup:
    """The figure, all repetitions of a series together; a series whose round trips were not kept is left out."""
    drawn = [(part, look_of(words)) for of, *words in series if (part := _distribution(exhibits, of, words[0], size))]
    if not drawn:
        raise ReportError(f"the data give no round trips of {name}", hint="lab query")
    distributions, looks = zip(*drawn, strict=True)
    return exhibits.put(Sketch(name, caption, Tails(name, distributions, looks), draw_tails))


def _distribution(exhibits: Exhibits, name: str, label: str, size: str) -> Distribution | None:
    series = exhibits.numbers.series.get(name)
    if series is None:
        return None
    curve = round_trips(exhibits.numbers.evidence, series)
    measured = next((part for part in trips(curve) if part.size == parse_size(size)), None)
    samples = [float(trip) for repetition in measured.by_repetition for trip in repetition] if measured else []
    return Distribution(label, tuple(samples), curve.keys([parse_size(size)])) if samples else None


def parts(
    exhibits: Exhibits, name: str, caption: str, label: str, kinds: Sequence[str], bars: Sequence[Sequence[str]]
) -> Markup:
    """The figure; each bar is its name, the query of the whole, and one for each kind but the last, or nothing."""
    shown = [bar for bar in bars if exhibits.has(*filter(None, bar[1:]))]
    if not shown:
        raise ReportError(f"the data give no bar of {name}", hint="lab query")
    assumed = [any(_is_assumed(exhibits, bar[2 + at]) for bar in shown) for at in range(len(kinds) - 1)]
    keys = dict.fromkeys(key for bar in shown for key in exhibits.numbers.ask(bar[1]).keys)
    drawn = tuple((bar[0], _parts(exhibits, *bar[1:])) for bar in shown)
    data = Parts(name, label, tuple(zip(kinds, [*assumed, False], strict=True)), drawn, tuple(keys))
    return exhibits.put(Sketch(name, caption, data, draw_parts))


def _parts(exhibits: Exhibits, whole: str, *queries: str) -> tuple[float, ...]:
    """The parts, and what they leave."""
    values = [exhibits.numbers.ask(query).estimate.value if query else 0.0 for query in queries]
    return (*values, exhibits.numbers.ask(whole).estimate.value - sum(values))


def _is_assumed(exhibits: Exhibits, query: str) -> bool:
    """Whether a part is a parameter of a card, and its file calls the value an assumption."""
    part = parse_query(query)[0] if query else None
    card, _, parameter = part.path.partition(".") if isinstance(part, Reference) else ("", "", "")
    if card not in exhibits.numbers.cards:
        return False
    return any(known.origin == "assumed" for key, known in read_card(card).known.items() if key.startswith(parameter))


# The kinds of work that a reader tells apart, from the program down to the wire.
SHOWN = {
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
CAUSE_KINDS = (*dict.fromkeys(list(SHOWN.values())[:-1]), OTHER, WAITING)
MOST_SIZES = 3
CAPTION = (
    "Instructions of a message, each a nanosecond; at the right their number. Polls that find nothing are waiting."
)


def causes(exhibits: Exhibits, names: Mapping[str, str] | None = None) -> Markup:
    """The figure, with a report's own names of series; nothing where they were not counted."""
    evidence, groups = exhibits.numbers.evidence, defaultdict[int, list[Stack]](list)
    found = costs(evidence)
    shown = _some(sorted({cost.size for cost in found}))
    for cost in (each for each in found if each.size in shown):
        series = (names or {}).get(cost.curve.series.name, cost.curve.words)
        groups[cost.size].append(Stack(f"{series}, {cost.end}", _cause_parts(cost), cost.work))
    if not groups:
        return Markup("")
    bars = tuple((float(size), tuple(groups[size])) for size in sorted(groups))
    data = Stacks("causes", bars, CAUSE_KINDS, WAITING, evidence.plan.site.name)
    return exhibits.put(Sketch("causes", CAPTION, data, stacks))


def _cause_parts(cost: MessageCost) -> tuple[tuple[str, float], ...]:
    found = defaultdict[str, float](float)
    for kind, value in cost.parts:
        found[SHOWN.get(kind, OTHER)] += value
    return tuple(found.items())


def _some(sizes: list[int]) -> list[int]:
    """The first, the last and one between them."""
    return sizes if len(sizes) <= MOST_SIZES else [sizes[0], sizes[len(sizes) // 2], sizes[-1]]


UNCHECKED = "Not checked: data of the author's own"


def placed(text: str, folder: Path, gallery: Gallery) -> str:
    """The text with its own figures in place of the commands, on as many lines."""
    for each in reversed(own_figures(text)):
        here = text[each.start : each.end]
        text = text[: each.start] + _place(each, folder, gallery) + "\n" * here.count("\n") + text[each.end :]
    return text


def _place(figure: OwnFigure, folder: Path, gallery: Gallery) -> str:
    data = Own(figure.name, figure.file, figure.x, figure.y, *read_points(folder, figure))
    drawn = gallery.draw(Sketch(figure.name, UNCHECKED, data, own))
    alt = ("\ufeff" + drawn.alt).encode("utf-16-be").hex().upper()
    source = rf"\textbf{{{UNCHECKED}}}, from \texttt{{{escape(figure.file)}}} ({drawn.n}). "
    caption = " ".join(figure.caption.split())
    return (
        rf"\begin{{labplace}}{{figure}}\labpicture{{figures/{figure.name}.pdf}}{{{alt}}}"
        rf"\caption{{{source}{caption}}}\label{{figure:{figure.name}}}\end{{labplace}}"
    )
