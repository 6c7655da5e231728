"""The live figure of the page, and the data that it draws."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lab.analysis.estimate import estimate_median
from lab.errors import LabError
from lab.experiment.experiment import Point, Series
from lab.figures.curves import Sized
from lab.figures.figure import LineLook
from lab.programs.program import ONE_WAY
from lab.records.table import SIDES
from lab.report.evidence.environment import reference_evidence
from lab.report.query.constants import of_published
from lab.report.query.grammar import Span
from lab.report.query.numbers import Numbers
from lab.report.query.value import TIME
from lab.typed_json import JsonTable, JsonValue

DIGITS = 5
FIRST = 4  # curves that are drawn before a reader chooses
Look: TypeAlias = tuple[str, LineLook]


@dataclass(frozen=True)
class Live:
    """The document that the page's script draws, the sources that it has, and why one is missing, in a sentence."""

    document: str
    has_reference: bool
    has_published: bool
    about: str


def live_figure(numbers: Numbers, figures: Mapping[str, object], queried: Iterable[str]) -> Live:
    """The live figure of all curves, with the names and looks of the report's figures. It first draws the curves of the
    report's first figure, or else the series that the text queries."""
    drawn = {name: data for name, data in figures.items() if isinstance(data, Sized)}
    first = drawn.get(next(iter(figures), ""))
    looks = _looks(drawn.values())
    run, reference = list(_curves(numbers, looks)), list(_reference(numbers, looks))
    published = list(_published(numbers.evidence.plan.experiment.name))
    labels = [curve.label for curve in first.curves] if first else []
    shown = [curve["name"] for curve in run if curve["words"] in labels]
    order, names = {series: at for at, series in enumerate(queried)}, [str(curve["name"]) for curve in run]
    names.sort(key=lambda name: order.get(name.partition("[")[0], len(order)))
    is_reference = reference == run
    document: JsonTable = {
        "figure": first.name if first and shown else "",  # which the live figure replaces
        "shown": shown or [*names[:FIRST]],
        "limits": [list(limit) for limit in first.limits] if first and shown and first.kind == "rate" else [],
        "run": run,
        "reference": [] if is_reference else reference,
        "published": published,
    }
    text = json.dumps(document, separators=(",", ":")).replace("<", r"\u003c")  # no tag ends the script
    why = "this run has the same values" if is_reference else "results/reference has no such curves"
    missing = [] if document["reference"] else [f"The reference is not shown: {why}."]
    missing += [] if published else ["No published report has curves for this experiment."]
    return Live(text, bool(document["reference"]), bool(published), " ".join(missing))


def _looks(figures: Iterable[Sized]) -> dict[tuple[float, ...], Look]:
    """The name and look of each curve in the report's figures, by its values."""
    return {_rounded(curve.values): (curve.label, curve.look) for data in figures for curve in reversed(data.curves)}


def _curves(numbers: Numbers, looks: dict[tuple[float, ...], Look]) -> Iterator[JsonTable]:
    for series in numbers.series.values():
        for point in series.points():
            for end in SIDES if series.measure == ONE_WAY else ("",):
                points = list(_points(numbers, series, point, end))
                varied = f"[{', '.join(map(str, point.values()))}]" if point else ""
                name = f"{series.name}{varied}{f'.{end}' if end else ''}"  # as a query names it
                words, look = looks.get(tuple(value for _, value, *_ in points), (name, None))
                yield _curve(name, words, look, points, is_time=series.measure != "throughput")


def _points(numbers: Numbers, series: Series, point: Point, end: str) -> Iterator[list[float]]:
    """Size, median, the ends of the interval if there is one, and n."""
    curve = numbers.curve(series, point, end, "")
    for size in curve.sizes:
        if values := curve.values(size):
            estimate = estimate_median(values)
            ends = (estimate.interval.low, estimate.interval.high) if estimate.interval else ()
            yield [size, *_rounded((estimate.value, *ends)), estimate.n]


def _reference(numbers: Numbers, looks: dict[tuple[float, ...], Look]) -> Iterator[JsonTable]:
    """The curves of the experiment in results/reference, if there are any."""
    try:
        evidence = reference_evidence(numbers.evidence.plan.experiment)
    except LabError:
        return
    yield from _curves(Numbers(evidence), looks)


def _published(experiment: str) -> Iterator[JsonTable]:
    for name, published in of_published(experiment).items():
        answers = ((size, published.answer(Span(listed=(size,)))) for size in published.sizes)
        if values := {size: value for size, value in answers if value}:
            points = [[size, *_rounded([value.estimate.value])] for size, value in values.items()]
            is_time = any(value.dimension == TIME for value in values.values())
            yield _curve(name, published.source, None, points, is_time=is_time)


def _curve(
    name: str, words: str, look: LineLook | None, points: Sequence[Sequence[float]], *, is_time: bool
) -> JsonTable:
    drawn: list[JsonValue] = [look.colour, look.dashes, look.is_open] if look else []
    return {
        "name": name,
        "words": words or name,
        "look": drawn,
        "time": is_time,
        "points": [list(point) for point in points],
    }


def _rounded(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(f"{value:.{DIGITS}g}") for value in values)
