"""A series that varies parameters: one curve for each point, and the gain of the best values over the first."""

from __future__ import annotations

from dataclasses import dataclass

from lab.analysis.estimate import Estimate, Interval
from lab.analysis.ratios import ratio_of_medians, ratios_of_medians
from lab.analysis.summary import estimate_median
from lab.analysis.verdict import Verdict, judge
from lab.report.answer import Answer
from lab.report.errors import ReportError
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.spec.experiment import Series


@dataclass(frozen=True)
class Gain:
    """The throughput at the best values over that at the first, at one size."""

    best: Subject
    answer: Answer

    @property
    def verdict(self) -> Verdict:
        """Whether it is more than 1 by more than the margin."""
        return judge(self.answer.estimate, margin=self.best.margin)


@dataclass(frozen=True)
class Sweep:
    """A series at every point that it varies, the first values first, and its gain at each size."""

    series: Series
    curves: tuple[Subject, ...]
    gains: dict[int, Gain]


def all_sweeps(evidence: Evidence, *varied: int) -> tuple[Sweep, ...]:
    """The series of throughput that vary so many parameters; without a number, all of them."""
    return tuple(sweep for sweep in evidence.once(_all_sweeps) if not varied or len(sweep.series.vary) in varied)


def _all_sweeps(evidence: Evidence) -> tuple[Sweep, ...]:
    return tuple(_sweep(evidence, series) for series in evidence.sweeps)


def _sweep(evidence: Evidence, series: Series) -> Sweep:
    _require_numbers(series)
    curves = points(evidence, series)
    return Sweep(series, curves, {size: _gain(curves, size) for size in curves[0].sizes})


def points(evidence: Evidence, series: Series) -> tuple[Subject, ...]:
    """One curve for each point, in the order of the file: the last parameter moves first."""
    return tuple(subject(evidence, series, point=point) for point in series.points())


def relative(point: Subject, first: Subject, size: int) -> Estimate:
    """The throughput at one point over that at the first; a point over itself is 1, without a doubt."""
    if point.point == first.point:
        return Estimate(1.0, Interval(1.0, 1.0), len(first.values(size)))
    return ratio_of_medians(point.values(size), first.values(size))


def best_of(curves: tuple[Subject, ...], size: int) -> Subject:
    """The smallest values with a median within the margin of the highest; a larger gain may be luck."""
    medians = [estimate_median(curve.values(size)).value for curve in curves]
    enough = max(medians) * (1 - curves[0].margin)
    good = [curve for curve, median in zip(curves, medians, strict=True) if median >= enough]
    return min(good, key=lambda curve: tuple(map(float, curve.point.values())))


def _require_numbers(series: Series) -> None:
    """Raise unless all varied values are numbers: an axis and a table have no place for words."""
    for name, values in series.vary.items():
        words = [value for value in values if isinstance(value, (str, bool))]
        if words:
            what = f"{series.name} varies {name} over words ({', '.join(map(str, words))}): a report draws numbers"
            raise ReportError(what, hint="a series for each of them; lab table has them all")


def _gain(curves: tuple[Subject, ...], size: int) -> Gain:
    """The choice of the best point rests on the records of all."""
    best = best_of(curves, size)
    keys = tuple(dict.fromkeys(key for curve in curves for key in curve.cell(size).keys))
    estimate = _estimate_of_choice(curves, best, size)
    return Gain(best, Answer(estimate, "", keys, unchecked=best.evidence.unchecked(keys)))


def _estimate_of_choice(curves: tuple[Subject, ...], best: Subject, size: int) -> Estimate:
    """The gain of the best point, with an interval that holds for any choice of the point."""
    first, others = curves[0], [curve for curve in curves[1:] if curve.point != curves[0].point]
    if best.point == first.point:
        return relative(best, first, size)
    ratios = ratios_of_medians([(curve.values(size), first.values(size)) for curve in others])
    return next(ratio for curve, ratio in zip(others, ratios, strict=True) if curve.point == best.point)
