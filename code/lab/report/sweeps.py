"""Claims about a series that varies parameters: the rate at each point, and what the best one gains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.analysis.estimate import Estimate, Interval
from lab.analysis.ratios import ratio_of_medians
from lab.analysis.summary import estimate_median
from lab.report.claim import Claim, Kind
from lab.report.compared import ratio
from lab.report.errors import ReportError
from lab.report.evidence import Evidence
from lab.report.measured import Subject, rates, subject
from lab.report.units import in_words
from lab.sizes import format_size
from lab.spec import Series


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


def _gain(series: Series, curves: tuple[Subject, ...], size: int) -> Iterator[Claim]:
    first = curves[0]
    best = max(curves, key=lambda curve: estimate_median(curve.values(size)).value)
    name, words = f"{series.name}.{format_size(size)}", f"{', '.join(series.vary)}, messages of {in_words(size)}"
    gain = ratio(best, first, size, f"{name}.gain")
    yield replace(gain, meaning=f"throughput at the best {words}, over that at the first")
    message = Estimate(size, None, gain.estimate.n)
    yield Claim(f"{name}.size", message, "size", Kind.DERIVED, f"size of the messages of {series.name}", gain.keys)
    for which, curve in (("first", first), ("best", best)):
        for parameter in series.vary:
            value = Estimate(float(curve.point[parameter]), None, gain.estimate.n)
            keys = curve.cell(size).keys
            meaning = f"{parameter} of the {which} {words}"
            claim = f"{name}.{which}.{parameter}"
            yield Claim(claim, value, "", Kind.DERIVED, meaning, keys, curve.wanted_n, link=curve.link)
