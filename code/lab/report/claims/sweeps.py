"""Claims about a series that varies parameters: the rate at each point, and what the best one gains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.analysis.estimate import Estimate, Interval
from lab.analysis.ratios import ratio_of_medians, ratios_of_medians
from lab.analysis.summary import estimate_median
from lab.model.sizes import format_size
from lab.report.claim import Claim, Kind
from lab.report.claims.ratios import ratio
from lab.report.errors import ReportError
from lab.report.evidence.curve import Subject, rates, subject
from lab.report.evidence.effective import moved
from lab.report.evidence.evidence import Evidence
from lab.report.tex.units import in_words
from lab.spec.experiment import Series


def points(evidence: Evidence, series: Series) -> tuple[Subject, ...]:
    """One curve for each point, in the order of the file: the last parameter moves first."""
    return tuple(subject(evidence, series, point=point) for point in series.points())


def relative(point: Subject, first: Subject, size: int) -> Estimate:
    """The throughput at one point over that at the first; a point over itself is 1, without a doubt."""
    if point.point == first.point:
        return Estimate(1.0, Interval(1.0, 1.0), len(first.values(size)))
    return ratio_of_medians(point.values(size), first.values(size))


def sweep_claims(evidence: Evidence, series: Series) -> Iterator[Claim]:
    """Rates at every point and size, and for each size the best point over the first."""
    _require_numbers(series)
    curves = points(evidence, series)
    for curve in curves:
        yield from rates(curve)
    for size in curves[0].sizes:
        yield from _gain(series, curves, size)


def _require_numbers(series: Series) -> None:
    """A best value is a claim, and an axis has numbers."""
    for name, values in series.vary.items():
        words = [value for value in values if isinstance(value, (str, bool))]
        if words:
            what = f"{series.name} varies {name} over words ({', '.join(map(str, words))}): a report draws numbers"
            raise ReportError(what, hint="a series for each of them; lab table has them all")


def best_of(curves: tuple[Subject, ...], size: int) -> Subject:
    """The smallest values whose median lies within the margin of the highest: what a larger one adds may be luck."""
    medians = [estimate_median(curve.values(size)).value for curve in curves]
    enough = max(medians) * (1 - curves[0].margin)
    good = [curve for curve, median in zip(curves, medians, strict=True) if median >= enough]
    return min(good, key=lambda curve: tuple(map(float, curve.point.values())))


def _gain(series: Series, curves: tuple[Subject, ...], size: int) -> Iterator[Claim]:
    first, best = curves[0], best_of(curves, size)
    name, words = f"{series.name}.{format_size(size)}", f"{', '.join(series.vary)}, messages of {in_words(size)}"
    meaning = f"throughput at the best {words}, over that at the first, the interval widened for the choice"
    gain = replace(ratio(best, first, size, f"{name}.gain"), meaning=meaning, estimate=_chosen(curves, best, size))
    gain = replace(_of_all_points(gain, curves, size), moved=moved(first.evidence, series, size))
    yield gain
    yield first.claim(f"{name}.size", _exactly(size, gain), "size", Kind.DERIVED, f"size of {series.name}", size)
    for which, curve in (("first", first), ("best", best)):
        for parameter in series.vary:
            value = _exactly(float(curve.point[parameter]), gain)
            meaning = f"{parameter} of the {which} {words}"
            claim = curve.claim(f"{name}.{which}.{parameter}", value, "", Kind.DERIVED, meaning, size)
            yield claim if which == "first" else _of_all_points(claim, curves, size)


def _chosen(curves: tuple[Subject, ...], best: Subject, size: int) -> Estimate:
    """What the best gains, with an interval that holds for whichever point is chosen."""
    first, others = curves[0], [curve for curve in curves[1:] if curve.point != curves[0].point]
    if best.point == first.point:
        return relative(best, first, size)
    ratios = ratios_of_medians([(curve.values(size), first.values(size)) for curve in others])
    return next(each for curve, each in zip(others, ratios, strict=True) if curve.point == best.point)


def _of_all_points(claim: Claim, curves: tuple[Subject, ...], size: int) -> Claim:
    """Which point is the best rests on the records of all."""
    keys = tuple(dict.fromkeys(key for curve in curves for key in curve.cell(size).keys))
    return replace(claim, keys=keys, unchecked=curves[0].evidence.unchecked(keys))


def _exactly(value: float, gain: Claim) -> Estimate:
    return Estimate(value, None, gain.estimate.n)
