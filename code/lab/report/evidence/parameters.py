"""The parameters of an experiment: as published, as requested, as run, and as they took effect."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from lab.analysis.estimate import LEVEL
from lab.analysis.knees import NEAR_STEP, STEP
from lab.analysis.ratios import LEAST
from lab.analysis.rounds import LARGEST_SHARE
from lab.experiment.experiment import Point, Series
from lab.model.parameters import ROUNDS
from lab.report.evidence.curve import margin_of
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.published import published_parameters
from lab.report.tex.numbers import number_tex, show_exactly
from lab.report.tex.render import Markup, escape

COUNTED = ("iterations", "warmup", "tx_depth", "rx_depth", "repetitions", "windows")
OF_ALL = ("iterations", "warmup", "repetitions")  # the others concern the engine of Verbyte's programs
BOUNDS = {  # the unit of a bound, and the value that stands for none
    "iterations_at_most": ("", None),
    "iterations_at_least": ("", 1),
    "bytes_per_size_at_most": ("size", None),
    "warmup_at_most": ("", None),
    "warmup_depths_at_least": ("", 0),
}
UNPUBLISHED, NONE = Markup("not said"), Markup("--")
Range = tuple[int, int]


def constants(evidence: Evidence) -> dict[str, Markup]:
    """The numbers that were chosen or counted, by the names that templates use."""
    series, site = evidence.plan.experiment.series[0], evidence.plan.site
    published, sizes, rounds = series.published.sizes, series.sizes(site.name), series.parameters(site.name, {})
    clock_s = sum(facts.clock_ns for facts in evidence.facts.values()) / 1e9
    return {
        "level": _exactly(100 * LEVEL, "percent"),
        "margin": _exactly(100 * margin_of(site.traits), "percent"),
        "least_n": _exactly(LEAST),
        "share_limit": _exactly(100 * LARGEST_SHARE, "percent"),
        "step": _exactly(STEP),
        "near_step": _exactly(NEAR_STEP),
        "trials": _exactly(len(evidence.facts)),
        "smallest": _exactly(min(sizes), "size"),
        "largest": _exactly(max(sizes), "size"),
        "scale": _exactly(divided_by(published, sizes)),
        "published_smallest": _exactly(min(published), "size"),
        "published_largest": _exactly(max(published), "size"),
        "run_time": _exactly(round(clock_s), "s"),
        **({name: _exactly(getattr(rounds, name)) for name in ROUNDS} if rounds.until_stable else {}),
    }


def divided_by(published: tuple[int, ...], sizes: tuple[int, ...]) -> float:
    """The largest factor that makes each size a published one; if there is none, the ratio of the largest sizes."""
    factors = sorted({size / max(sizes) for size in published}, reverse=True)
    whole = (factor for factor in factors if {size * factor for size in sizes} <= {*published})
    return next(whole, max(published) / max(sizes))


@dataclass(frozen=True)
class ParameterRow:
    """One parameter: published, and requested and used by all series, each of their ranges once."""

    name: str
    published: Markup
    asked: Markup
    used: Markup


def parameter_rows(evidence: Evidence) -> list[ParameterRow]:
    """Every parameter that reports quote, and the site's bounds on it."""
    site, of_report, rows = evidence.plan.site.name, published_parameters(evidence.plan.experiment.name).values, []
    for name in (*COUNTED, *ROUNDS):
        if series := [run for run in evidence.plan.experiment.series if _concerns(run, site, name)]:
            published = Markup(number_tex(f"{of_report[name]:.12g}")) if name in of_report else UNPUBLISHED
            asked, used = [_asked(run, name) for run in series], [_used(run, site, name) for run in series]
            rows.append(ParameterRow(name, published, _ranges(asked), _ranges(used)))
    for name, (unit, no_bound) in BOUNDS.items():
        bounds = [getattr(run.profile(site), name) for run in evidence.plan.experiment.series]
        if set(bounds) != {no_bound}:
            used = [(bound, bound) for bound in bounds if bound is not None]
            rows.append(ParameterRow(name, NONE, NONE, _ranges(used, unit)))
    return rows


def _concerns(series: Series, site: str, name: str) -> bool:
    """Whether a series has a parameter: Verbyte's engine has more than other programs, and rounds have theirs."""
    if name in ROUNDS:
        return bool(series.parameters(site, {}).until_stable) and series.tool.engine
    return name in OF_ALL or series.tool.engine


def _asked(series: Series, name: str) -> Range:
    values = [point.get(name, getattr(series.published, name)) for point in series.points()]
    return min(values), max(values)


def _used(series: Series, site: str, name: str) -> Range:
    """The least and the most over the varied values, and of the counts that the profile bounds over the sizes."""
    points = series.points()
    if name in ("iterations", "warmup"):
        values = [getattr(counts, name) for point in points for counts in series.counts(site, point)]
    else:
        values = [getattr(series.parameters(site, point), name) for point in points]
    return min(values), max(values)


def _ranges(ranges: Iterable[Range], unit: str = "") -> Markup:
    words = (" to ".join(_exactly(end, unit) for end in dict.fromkeys(ends)) for ends in dict.fromkeys(ranges))
    return Markup("; ".join(words))


def _exactly(value: float, unit: str = "") -> Markup:
    return Markup(show_exactly(value, unit).tex)


# The names of varied parameters in the header of a program's output, if they differ.
HEADER_NAMES = {"tx_depth": "depth"}
ABOUT_COUNTS = ("asked", "sample_every")  # in the header, and no effective value
SHOWN = {
    "iterations": r"\labhead{timed}{messages}",
    "warmup": "warm-up",
    "depth": "depth",
    "post_list": r"\labhead{post}{list}",
    "signal_every": r"\labhead{signal}{every}",
    "inline": r"\labhead{inline}{bytes}",
}
_VALUE = re.compile(r"(\w+)=(\d+)", re.ASCII)

Values = dict[str, set[int]]  # by name, every value that any repetition had


def effective(evidence: Evidence, series: Series) -> list[tuple[Point, dict[int, Values]]]:
    """The values of every point by size, in the order of the file; nothing by size if a program prints none."""
    return [(point, _by_size(evidence, series, point)) for point in series.points()]


def _by_size(evidence: Evidence, series: Series, point: Point) -> dict[int, Values]:
    by_size = defaultdict[int, defaultdict[str, set[int]]](lambda: defaultdict(set))
    for planned in () if evidence.unmeasured else evidence.plan.planned:
        facts = evidence.facts.get(planned.trial.key)
        if facts and (planned.series.name, planned.point) == (series.name, point):
            header = facts.measured.header or {}
            for size in series.sizes(evidence.plan.site.name):
                for name, value in _VALUE.findall(header.get(f"size {size}", "")):
                    if name not in ABOUT_COUNTS:
                        by_size[size][name].add(int(value))
    return {size: dict(by_name) for size, by_name in sorted(by_size.items())}


def _moves(points: list[dict[int, Values]], name: str) -> bool:
    """Whether a value differs between the points of a sweep at any size."""
    at = [(point.get(size, {}), points[0].get(size, {})) for point in points for size in {*point, *points[0]}]
    return any(values.get(name) != of_first.get(name) for values, of_first in at)


@dataclass(frozen=True)
class EffectiveTable:
    """A row for each series: its name, then its values."""

    heads: tuple[Markup, ...]
    rows: tuple[tuple[Markup, ...], ...]
    series: tuple[str, ...]


def effective_table(evidence: Evidence) -> EffectiveTable:
    cells = {series.name: row for series in evidence.plan.experiment.series if (row := _cells(evidence, series))}
    names = [name for name in SHOWN if any(name in row for row in cells.values())]
    rows = tuple(
        (Markup(rf"\texttt{{{escape(series)}}}"), *(row.get(name, NONE) for name in names))
        for series, row in cells.items()
    )
    return EffectiveTable(tuple(Markup(SHOWN[name]) for name in names), rows, tuple(cells))


def _cells(evidence: Evidence, series: Series) -> dict[str, Markup]:
    """The range of each value; `moved` if it differs between points of a sweep that does not vary it."""
    points = [by_size for _, by_size in effective(evidence, series)]
    varied = {HEADER_NAMES.get(name, name) for name in series.vary}
    cells = {}
    for name in SHOWN:
        if values := {value for point in points for at_size in point.values() for value in at_size.get(name, ())}:
            text = " to ".join(number_tex(str(end)) for end in dict.fromkeys((min(values), max(values))))
            cells[name] = Markup(text + (", varied" if name in varied else ", moved" if _moves(points, name) else ""))
    return cells
