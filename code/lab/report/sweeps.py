"""Claims about a series that varies one parameter: the rate at each value, and what the best value gains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_median
from lab.report.claim import Claim, Kind
from lab.report.compared import ratio
from lab.report.evidence import Evidence
from lab.report.measured import Subject, rates, subject
from lab.report.units import in_words
from lab.sizes import format_size
from lab.spec import Series


def points(evidence: Evidence, series: Series) -> tuple[Subject, ...]:
    """One curve for each value of the varied parameter."""
    return tuple(subject(evidence, series, point=point) for point in series.points())


def sweep_claims(evidence: Evidence, series: Series) -> Iterator[Claim]:
    """Rates at every value and size, and for each size the best value over the first."""
    if len(series.vary) != 1:
        return
    curves = points(evidence, series)
    for curve in curves:
        yield from rates(curve)
    for size in curves[0].sizes:
        yield from _gain(series, curves, size)


def _gain(series: Series, curves: tuple[Subject, ...], size: int) -> Iterator[Claim]:
    (parameter,) = series.vary
    first = curves[0]
    best = max(curves, key=lambda curve: estimate_median(curve.cell(size).values).value)
    name, words = f"{series.name}.{format_size(size)}", f"{parameter}, messages of {in_words(size)}"
    gain = ratio(best, first, size, f"{name}.gain")
    yield replace(gain, meaning=f"throughput at the best {words}, over that at the first value")
    message = Estimate(size, None, gain.estimate.n)
    yield Claim(f"{name}.size", message, "size", Kind.DERIVED, f"size of the messages of {series.name}", gain.keys)
    for which, curve in (("first", first), ("best", best)):
        value = Estimate(float(curve.point[parameter]), None, gain.estimate.n)
        keys = curve.cell(size).keys
        meaning = f"{which} value of {words}"
        yield Claim(f"{name}.{which}", value, "", Kind.DERIVED, meaning, keys, curve.wanted_n, link=curve.link)
