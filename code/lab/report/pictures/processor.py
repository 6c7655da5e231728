"""The processor time of a message at both ends of our series: against its size, a figure for each link; against what a
series varies, a figure for each of them."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import MICROSECONDS, ByParameter, BySize, Curve
from lab.figures.drawers import parameter, processor_time
from lab.programs.request import ENDS
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import label
from lab.report.evidence.links import by_link
from lab.report.evidence.parameter_words import parameter_words
from lab.report.pictures.colours import colour, pale
from lab.report.pictures.sketch import Sketch
from lab.report.tex.units import NANO, in_words
from lab.report.topics.lines import scaled
from lab.report.topics.processor import CLIENT, ProcessorSweep, ProcessorTimes, processor_sweeps, processor_times
from lab.spec.experiment import Series


def processors(evidence: Evidence) -> Iterator[Sketch[BySize] | Sketch[ByParameter]]:
    """Where our programs said what they took."""
    yield from _by_size(evidence)
    yield from (_by_parameter(each) for each in processor_sweeps(evidence) if _has_numbers(each.series))


def _by_size(evidence: Evidence) -> Iterator[Sketch[BySize]]:
    reported = processor_times(evidence)
    series = {each.curve.series.name: each.curve.series for each in reported}
    for group in by_link(series.values()):
        found = [each for each in reported if each.curve.series.name in group.names]
        name, curves = f"processor{group.suffix}", tuple(curve for each in found for curve in _curves(each))
        caption = f"Processor time of a message at both ends against message size, {found[0].curve.link}."
        yield Sketch(name, caption, BySize(name, curves, found[0].curve.site), processor_time)


def _curves(found: ProcessorTimes) -> Iterator[Curve]:
    """One transport has two colours: the strong one for the client."""
    for end, by_size in found.ends.items():
        estimates = tuple(scaled(each.estimate, 1 / NANO) for each in by_size.values())
        shade = (colour if end == CLIENT else pale)(found.curve.series)
        words, keys = f"{found.words}, {end}", found.curve.keys(by_size)
        yield Curve(words, tuple(map(float, by_size)), estimates, keys, colour=shade)


def _has_numbers(series: Series) -> bool:
    """Words have no place on an axis."""
    return not any(isinstance(value, (str, bool)) for value in series.vary[_last(series)])


def _last(series: Series) -> str:
    """The one that moves first."""
    return list(series.vary)[-1]


def _by_parameter(found: ProcessorSweep) -> Sketch[ByParameter]:
    """Of one parameter, the smallest and the largest messages; of more, the smallest: all they take is the handling."""
    series, sizes = found.series, found.sizes
    varied, name = _last(series), f"processor.{series.name}"
    shown = tuple(dict.fromkeys((sizes[0], sizes[-1]))) if len(series.vary) == 1 else sizes[:1]
    curves = tuple(curve for size in shown for end in ENDS for curve in _lines(found, varied, size, end))
    data = ByParameter(
        name,
        f"{parameter_words(varied)} ({varied})",
        curves,
        found.points[0].curve.site,
        MICROSECONDS,
        "processor time",
    )
    words = " and ".join(map(parameter_words, series.vary))
    caption = (
        f"Processor time of a message of {label(series)} at both ends against {words}, {found.points[0].curve.link}."
    )
    return Sketch(name, caption, data, parameter)


def _lines(found: ProcessorSweep, varied: str, size: int, end: str) -> Iterator[Curve]:
    """One for each combination of the other parameters."""
    lines: dict[str, list[ProcessorTimes]] = {}
    for each in found.points:
        others = [f"{name} {value}" for name, value in each.curve.point.items() if name != varied]
        lines.setdefault(", ".join([*others, in_words(size), end]), []).append(each)
    shade = (colour if end == CLIENT else pale)(found.series)
    for words, points in lines.items():
        estimates = tuple(scaled(each.ends[end][size].estimate, 1 / NANO) for each in points)
        keys = tuple(dict.fromkeys(key for each in points for key in each.curve.keys([size])))
        values = tuple(float(each.curve.point[varied]) for each in points)
        yield Curve(words, values, estimates, keys, colour=shade)
