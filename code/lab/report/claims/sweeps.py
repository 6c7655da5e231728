"""Claims about a series that varies parameters: the rate at each point, and the gain of the best one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.analysis.estimate import Estimate, Interval
from lab.analysis.ratios import ratio_of_medians, ratios_of_medians
from lab.analysis.summary import estimate_median
from lab.model.sizes import format_size
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.ratios import ratio
from lab.report.claims.throughput import RateClaims, rate_claims
from lab.report.claims.windows import WindowClaims, window_claims
from lab.report.errors import ReportError
from lab.report.evidence.curve import Subject, subject
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


@dataclass(frozen=True)
class GainClaims(ClaimGroup):
    """The best values over the first of one size, and both by parameter."""

    best: Subject
    gain: Claim
    size: Claim
    first_values: dict[str, Claim]
    best_values: dict[str, Claim]


@dataclass(frozen=True)
class SweepClaims(ClaimGroup):
    """A series at every point that it varies."""

    series: Series
    points: tuple[RateClaims, ...]  # in the order of the file
    gains: dict[int, GainClaims]
    windows: tuple[tuple[WindowClaims, ...], ...]  # of every point

    @property
    def curves(self) -> tuple[Subject, ...]:
        return tuple(each.curve for each in self.points)

    def rate_at_best(self, size: int) -> Claim:
        best = self.gains[size].best.point
        return next(each.by_size[size].rate for each in self.points if each.curve.point == best)


def sweep_claims(evidence: Evidence, series: Series) -> SweepClaims:
    """Rates at every point and size, and for each size the best point over the first."""
    _require_numbers(series)
    curves = points(evidence, series)
    gains = {size: _gain(series, curves, size) for size in curves[0].sizes}
    return SweepClaims(series, tuple(map(rate_claims, curves)), gains, tuple(map(window_claims, curves)))


def _require_numbers(series: Series) -> None:
    """A best value is a claim, and an axis has numbers."""
    for name, values in series.vary.items():
        words = [value for value in values if isinstance(value, (str, bool))]
        if words:
            what = f"{series.name} varies {name} over words ({', '.join(map(str, words))}): a report draws numbers"
            raise ReportError(what, hint="a series for each of them; lab table has them all")


def best_of(curves: tuple[Subject, ...], size: int) -> Subject:
    """The smallest values with a median within the margin of the highest; a larger gain may be luck."""
    medians = [estimate_median(curve.values(size)).value for curve in curves]
    enough = max(medians) * (1 - curves[0].margin)
    good = [curve for curve, median in zip(curves, medians, strict=True) if median >= enough]
    return min(good, key=lambda curve: tuple(map(float, curve.point.values())))


def _gain(series: Series, curves: tuple[Subject, ...], size: int) -> GainClaims:
    first, best = curves[0], best_of(curves, size)
    name, words = f"{series.name}.{format_size(size)}", f"{', '.join(series.vary)}, messages of {in_words(size)}"
    meaning = f"throughput at the best {words}, over that at the first, the interval widened for the choice"
    gain = replace(ratio(best, first, size, f"{name}.gain"), meaning=meaning, estimate=_chosen(curves, best, size))
    gain = replace(_of_all_points(gain, curves, size), moved=moved(first.evidence, series, size))
    n = gain.estimate.n

    def value_of(which: str, curve: Subject, parameter: str) -> Claim:
        value = Estimate(float(curve.point[parameter]), None, n)
        meaning = f"{parameter} of the {which} {words}"
        return curve.claim(f"{name}.{which}.{parameter}", value, "", ClaimKind.DERIVED, meaning, size)

    return GainClaims(
        best,
        gain,
        first.claim(f"{name}.size", Estimate(size, None, n), "size", ClaimKind.DERIVED, f"size of {series.name}", size),
        {each: value_of("first", first, each) for each in series.vary},
        {each: _of_all_points(value_of("best", best, each), curves, size) for each in series.vary},
    )


def _chosen(curves: tuple[Subject, ...], best: Subject, size: int) -> Estimate:
    """The gain of the best point, with an interval that holds for any choice of the point."""
    first, others = curves[0], [curve for curve in curves[1:] if curve.point != curves[0].point]
    if best.point == first.point:
        return relative(best, first, size)
    ratios = ratios_of_medians([(curve.values(size), first.values(size)) for curve in others])
    return next(each for curve, each in zip(others, ratios, strict=True) if curve.point == best.point)


def _of_all_points(claim: Claim, curves: tuple[Subject, ...], size: int) -> Claim:
    """The choice of the best point rests on the records of all."""
    keys = tuple(dict.fromkeys(key for curve in curves for key in curve.cell(size).keys))
    return replace(claim, keys=keys, unchecked=curves[0].evidence.unchecked(keys))
