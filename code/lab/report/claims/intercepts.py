"""Intercepts held against messages that were really small, by the same program on the same link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.analysis.estimate import Estimate, Interval
from lab.analysis.regression import intercept_agrees
from lab.analysis.summary import estimate_median
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.latency import latency_fits, round_trips
from lab.report.claims.lines import BreakClaims, FitClaims, LineClaims, Times, scaled
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.tex.units import in_words
from lab.spec.experiment import Series


@dataclass(frozen=True)
class Intercept:
    """A line through the times of large messages, and the sweep of small ones beside it."""

    line: LineClaims
    broken: BreakClaims | None  # what follows the times instead
    small: Subject

    @property
    def times(self) -> Times:
        return self.line.times

    @property
    def smallest(self) -> int:
        return self.small.sizes[0]

    def half_trip_ns(self) -> Estimate:
        """The claims about the smallest message."""
        return scaled(estimate_median(self.small.values(self.smallest)), 0.5)

    def agrees(self) -> bool:
        """Whether the intercept could stand for the time of a small message."""
        return intercept_agrees(self.times.line(), self.half_trip_ns())

    def over_small(self) -> Estimate:
        """The intercept over that time; the interval holds all ratios of values of both intervals."""
        line, small = self.times.line().intercept, self.half_trip_ns()
        if line.interval is None or small.interval is None:
            return Estimate(line.value / small.value, None, small.n)
        above, below = line.interval, small.interval
        ratios = [top / bottom for top in (above.low, above.high) for bottom in (below.low, below.high)]
        return Estimate(line.value / small.value, Interval(min(ratios), max(ratios), above.level), small.n)


@dataclass(frozen=True)
class InterceptClaims(ClaimGroup):
    """The intercept over the time of a small message."""

    intercept: Intercept
    over_small: Claim


def intercepts(evidence: Evidence) -> Iterator[Intercept]:
    """The intercepts of each of our series of large messages with a series of small messages beside it.

    A series has a line of all sizes and one of the larger half, each followed by two lines if these fit better.
    """
    series = [each for each in evidence.all_series("latency") if is_ours(each)]
    for large, fits in latency_fits(evidence).items():
        for small in (each for each in series if _is_beside(evidence.plan.site.name, each, evidence.series(large))):
            for fit in (fits.whole, fits.upper):
                yield from _of_fit(fit, round_trips(evidence, small))


def _of_fit(fit: FitClaims, small: Subject) -> Iterator[Intercept]:
    yield Intercept(fit.line, fit.broken, small)
    if fit.broken:
        yield Intercept(fit.broken.below, None, small)
        yield Intercept(fit.broken.above, None, small)


def _is_beside(site: str, small: Series, large: Series) -> bool:
    same = (small.program, small.link, small.soft_roce) == (large.program, large.link, large.soft_roce)
    return same and small.sizes(site)[0] < large.sizes(site)[0] and small.sizes(site)[-1] < large.sizes(site)[-1]


def intercept_claims(found: Intercept) -> InterceptClaims:
    """A ratio of two series rests on the records of both."""
    size, small, large = in_words(found.smallest), found.small, found.times.curve
    meaning = f"intercept of the line of {large.words} over half of the round trip of {size}, {small.words}"
    claim = small.claim(
        f"{found.times.name}.over_small", found.over_small(), "", ClaimKind.RATIO, meaning, found.smallest
    )
    keys = tuple(dict.fromkeys((*claim.keys, *large.keys(large.sizes))))
    claim = replace(claim, keys=keys, unchecked=small.evidence.unchecked(keys))
    return InterceptClaims(found, replace(claim, base=f"{small.words} at {size}", base_link=claim.link))
