"""The effect of parameters: a curve for each size, and maps of two parameters, or of one and the size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lab.analysis.estimate import Estimate
from lab.analysis.verdict import Verdict
from lab.figures import MESSAGES_S, TIMES, ByParameter, Curve, HeatMap
from lab.figures.drawers import heat_map, parameter
from lab.model.sizes import format_size
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import label
from lab.report.evidence.parameter_words import parameter_words
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import Sketch
from lab.report.tex.units import in_words
from lab.report.topics.curves import message_rate
from lab.report.topics.sweeps import Sweep, all_sweeps, relative
from lab.spec.experiment import Series

Axis = tuple[str, tuple[float | str, ...]]
Cells = tuple[tuple[Estimate, ...], ...]

MOST_CURVES, LEAST_ROWS, MOST_ROWS = 5, 3, 20


def sweeps(evidence: Evidence) -> Iterator[Sketch[ByParameter] | Sketch[HeatMap]]:
    """A figure for each series that varies one parameter, and a map where something gains; of two parameters, a map of
    all sizes, or one for each of many."""
    for found in all_sweeps(evidence, 1):
        if len(found.gains) <= MOST_CURVES:
            yield _curves(evidence, found)
        if len(found.gains) >= LEAST_ROWS and _shows(found):
            yield _size_map(evidence, found.series, found.curves)
    for found in all_sweeps(evidence, 2):
        down = next(iter(found.series.vary.values()))
        if 1 < len(found.gains) <= MOST_ROWS // len(down):
            yield _grids(evidence, found)
        else:
            yield from (_grid(evidence, found.series, found.curves, size) for size in found.gains)


def _shows(found: Sweep) -> bool:
    """Whether some cell of a map would have another colour than the rest."""
    return any(gain.verdict is not Verdict.WITHIN for gain in found.gains.values())


def _curves(evidence: Evidence, found: Sweep) -> Sketch[ByParameter]:
    series, (name,) = found.series, found.series.vary
    values = tuple(float(value) for value in series.vary[name])
    drawn = []
    for size in found.gains:
        estimates = tuple(message_rate(curve, size).estimate for curve in found.curves)
        keys = tuple(dict.fromkeys(key for each in found.curves for key in each.cell(size).keys))
        drawn.append(Curve(in_words(size), values, estimates, keys, colour=colour(series)))
    words = f"{parameter_words(name)} ({name})"
    data = ByParameter(series.name, words, tuple(drawn), evidence.plan.site.name, MESSAGES_S, "message rate")
    return Sketch(series.name, f"Message rate of {label(series)} against {parameter_words(name)}.", data, parameter)


def _size_map(evidence: Evidence, series: Series, subjects: tuple[Subject, ...]) -> Sketch[HeatMap]:
    """Sizes downwards, the parameter to the right; each row over its own first cell, so that rows compare."""
    (name,) = series.vary
    sizes = subjects[0].sizes
    cells = tuple(tuple(relative(each, subjects[0], size) for each in subjects) for size in sizes)
    picture = f"{series.name}.map"
    caption = (
        f"Throughput of {label(series)} over that at {_first(series)}, by message size and {parameter_words(name)}."
    )
    rows = tuple(float(size) for size in sizes)
    data = _map(evidence, picture, ("message size in bytes", rows), _axis(series, name), cells, _keys(subjects, sizes))
    return Sketch(picture, caption, data, heat_map)


def _grid(evidence: Evidence, series: Series, subjects: tuple[Subject, ...], size: int) -> Sketch[HeatMap]:
    """The first parameter downwards, the second to the right, over the cell of both first values."""
    down, across = series.vary
    picture = f"{series.name}.{format_size(size)}"
    caption = f"Throughput of {label(series)} with messages of {in_words(size)} over that at {_first(series)}."
    cells, keys = _cells(series, subjects, size), _keys(subjects, [size])
    data = _map(evidence, picture, _axis(series, down), _axis(series, across), cells, keys)
    return Sketch(picture, caption, data, heat_map)


def _grids(evidence: Evidence, found: Sweep) -> Sketch[HeatMap]:
    """The same of each size, one below the other."""
    series, subjects, sizes = found.series, found.curves, list(found.gains)
    down, across = series.vary
    picture = f"{series.name}.map"
    caption = f"Throughput of {label(series)} over that at {_first(series)} with messages of the same size."
    rows = tuple(f"{in_words(size)}, {value}" for size in sizes for value in series.vary[down])
    cells = tuple(row for size in sizes for row in _cells(series, subjects, size))
    sized = f"message size, {down}", rows
    data = _map(evidence, picture, sized, _axis(series, across), cells, _keys(subjects, sizes))
    return Sketch(picture, caption, data, heat_map)


def _cells(series: Series, subjects: tuple[Subject, ...], size: int) -> Cells:
    columns = len(list(series.vary.values())[1])
    ratios = [relative(each, subjects[0], size) for each in subjects]
    return tuple(tuple(ratios[start : start + columns]) for start in range(0, len(ratios), columns))


def _keys(subjects: Iterable[Subject], sizes: Sequence[int]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for each in subjects for key in each.keys(sizes)))


def _first(series: Series) -> str:
    return " and ".join(f"{name} {values[0]}" for name, values in series.vary.items())


def _axis(series: Series, name: str) -> tuple[str, tuple[float, ...]]:
    return name, tuple(float(value) for value in series.vary[name])


def _map(
    evidence: Evidence,
    name: str,
    down: Axis,
    across: tuple[str, tuple[float, ...]],
    cells: Cells,
    keys: tuple[str, ...],
) -> HeatMap:
    site = evidence.plan.site.name
    return HeatMap(name, *down, *across, cells, site, TIMES, "throughput over that of the first values", keys)
