"""Numbers that nobody measured here: of the plan, of cards' files, and of published reports."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from lab.analysis.estimate import LEVEL
from lab.analysis.lines import Line
from lab.model.trial import PARAMETERS, Card
from lab.report.evidence.curve import margin_of
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.published import PublishedTimes, published_curves, published_times, published_values
from lab.report.query.grammar import Span
from lab.report.query.value import BYTES, PURE, RATE, TIME, Dimension, Value, exact
from lab.report.tex.numbers import NANO

DIGITS = 4
COUNTED = ("iterations", "warmup", "repetitions", "tx_depth", "rx_depth")
_SUFFIXES: dict[str, tuple[float, Dimension, str]] = {
    "_bit_s": (1 / 8, RATE, "bit/s"),
    "_bytes": (1.0, BYTES, "size"),
    "_ns": (1e-9, TIME, ""),
    "_ps": (1e-12, TIME, ""),
    "_permille": (1e-3, PURE, ""),
}
_UNITS: dict[str, Dimension] = {"s": TIME, "size": BYTES, "B/s": RATE}


def of_plan(evidence: Evidence) -> dict[str, Value]:
    """The numbers that the experiment's file and Verbyte chose; of the first series if series differ."""
    plan = evidence.plan
    first, site = plan.experiment.series[0], plan.site.name
    sizes, run = first.sizes(site), first.parameters(site, {})
    counts = {name: getattr(run, name) for name in COUNTED}
    for name in ("iterations", "warmup"):  # as run: bounds of the site may lower them
        counts[name] = max(getattr(count, name) for count in first.counts(site, {}))
    counts |= {"trials": len(evidence.facts), "series": len(plan.experiment.series), "sizes": len(sizes)}
    values = {f"plan.{name}": exact(float(count), source="the plan") for name, count in counts.items()}
    for name, percent in (("level", LEVEL), ("margin", margin_of(plan.site.traits))):
        values[f"plan.{name}"] = exact(percent, PURE, "percent", "Verbyte")
    for name, size in (("smallest", min(sizes)), ("largest", max(sizes))):
        values[f"plan.{name}"] = exact(size, BYTES, "size", "the plan")
    return values


def of_card(card: Card) -> dict[str, Value]:
    """The parameters of a modelled card by their names without the unit: `gap`, `header`, `rate`."""
    values = {}
    for name in PARAMETERS:
        suffix = next(end for end in _SUFFIXES if name.endswith(end))
        factor, dimension, unit = _SUFFIXES[suffix]
        source = f"experiments/cards/{card.name}.toml"
        values[name.removesuffix(suffix)] = exact(getattr(card, name) * factor, dimension, unit, source)
    return values


@dataclass(frozen=True)
class Published:
    """A published number, or a curve of them, of another machine."""

    source: str
    answer: Callable[[Span], Value | None]
    sizes: tuple[int, ...] = ()


@cache
def of_published(experiment: str) -> dict[str, Published]:
    """The published numbers that belong to an experiment, by the names that queries use."""
    numbers: dict[str, Published] = {}
    for curve in published_curves(experiment):
        numbers[curve.name] = _of_curve(curve.label, curve.by_size, RATE)
    for times in published_times(experiment):
        medians = {size: size / times.rate(size) for size in times.sizes}
        numbers[times.name] = _of_curve(times.label, medians, TIME)
        numbers |= {f"{times.name}.{name}": _of_line(times, measure) for name, measure in LINES.items()}
    for name, (label, number, unit) in published_values(experiment).items():
        value = exact(number, _UNITS[unit], unit)
        numbers[name] = Published(label, lambda _, value=value: value)  # type: ignore[misc]
    return numbers


def _of_curve(label: str, by_size: dict[int, float], dimension: Dimension) -> Published:
    def answer(span: Span) -> Value | None:
        return replace(exact(by_size[span.size], dimension), is_rounded=True) if span.size in by_size else None

    return Published(label, answer, tuple(by_size))


def _of_line(times: PublishedTimes, measure: Callable[[Line], Value]) -> Published:
    """A number of the line through published times, over all of their sizes or some."""

    def answer(span: Span) -> Value | None:
        sizes = times.sizes if span.size else span.picks(times.sizes)
        return measure(times.line(sizes[0], sizes[-1])) if len(sizes) > 1 else None

    return Published(times.label, answer)


def _rounded(value: float, dimension: Dimension) -> Value:
    return replace(exact(float(f"{value:.{DIGITS}g}"), dimension), is_rounded=True)


LINES: dict[str, Callable[[Line], Value]] = {
    "slope": lambda line: _rounded(1 / line.slope.value / NANO, RATE),
    "intercept": lambda line: _rounded(line.intercept.value * NANO, TIME),
    "residual": lambda line: _rounded(float(abs(line.residuals).max()) * NANO, TIME),
    "r2": lambda line: exact(round(line.r_squared or 0.0, 5)),
    "points": lambda line: exact(float(line.n)),
}
