"""Claims about a whole curve: its peak, its knee, where it jumps, falls, saturates, or still grows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from lab.analysis.estimate import Estimate, Interval
from lab.analysis.knees import LEAST_X, find_knee
from lab.analysis.ratios import ratios_of_medians
from lab.analysis.reproducible import exp2, log2
from lab.analysis.summary import estimate_median
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.lines import scaled
from lab.report.evidence.curve import Subject
from lab.report.moves import is_level
from lab.report.tex.units import in_words


@dataclass(frozen=True)
class CurveStep(ClaimGroup):
    """A step from one size to the next: the factor of the throughput, and both sizes."""

    factor: Claim
    start: Claim
    end: Claim

    def growth(self) -> Estimate:
        """The factor over that of the sizes: above 1, a message takes less time than the size before."""
        return scaled(self.factor.estimate, self.start.estimate.value / self.end.estimate.value)


@dataclass(frozen=True)
class Shape(ClaimGroup):
    """A curve as a whole."""

    peak: Claim
    peak_size: Claim
    jump: CurveStep
    fall: CurveStep
    last: CurveStep
    knee: Claim | None
    level: Claim | None  # from this size on, before the last one


def shape_claims(curve: Subject) -> Shape | None:
    """All claims about one curve as a whole; a single size has no shape."""
    if len(curve.sizes) < 2:
        return None
    return Shape(*_peak(curve), *_steps(curve), _knee(curve), _level(curve))


def _peak(curve: Subject) -> tuple[Claim, Claim]:
    """The highest median and its size."""
    medians = {size: estimate_median(curve.values(size)) for size in curve.sizes}
    best = max(medians, key=lambda size: medians[size].value)
    top, about = f"{curve.name}.peak", f"of {curve.words} over all sizes"
    where = Estimate(best, None, medians[best].n)
    return (
        curve.claim(top, medians[best], "B/s", ClaimKind.RATE, f"highest median throughput {about}", best),
        curve.claim(f"{top}.size", where, "size", ClaimKind.DERIVED, f"size of the peak {about}", *curve.sizes),
    )


def _steps(curve: Subject) -> tuple[CurveStep, CurveStep, CurveStep]:
    """Between neighbouring sizes: the steepest step for its sizes, the lowest, and the last; two of them are chosen by
    their values, so that all intervals allow for a choice."""
    places = list(pairwise(curve.sizes))
    ratios = ratios_of_medians([(curve.values(large), curve.values(small)) for small, large in places])
    steps = dict(zip(places, ratios, strict=True))
    jump = max(steps, key=lambda pair: steps[pair].value * pair[0] / pair[1])
    fall = min(steps, key=lambda pair: steps[pair].value)
    last = (curve.sizes[-2], curve.sizes[-1])
    return (
        _step(curve, "jump", "the steepest step for its sizes", *jump, steps[jump]),
        _step(curve, "fall", "the lowest step", *fall, steps[fall]),
        _step(curve, "last", "the last step", *last, steps[last]),
    )


def _step(curve: Subject, name: str, which: str, small: int, large: int, found: Estimate) -> CurveStep:
    """A ratio within one curve, so that both sides ran over the same link; and the two sizes."""
    words = f"{curve.words}, throughput at {in_words(large)} over that at {in_words(small)}, {which}"
    claim = curve.claim(f"{curve.name}.{name}", found, "", ClaimKind.RATIO, words, small, large)
    factor = replace(claim, base=f"{curve.words} at {in_words(small)}", base_link=claim.link)
    ends = []
    for end, size in (("from", small), ("to", large)):
        where = Estimate(size, None, found.n)
        meaning = f"size that {which} of {curve.words} goes {end}"
        ends.append(curve.claim(f"{curve.name}.{name}.{end}", where, "size", ClaimKind.DERIVED, meaning, *curve.sizes))
    return CurveStep(factor, *ends)


def _knee(curve: Subject) -> Claim | None:
    """The one bend of the curve on logarithmic axes, where the data support one."""
    if len(curve.sizes) < LEAST_X:
        return None
    points = [(size, value) for size in curve.sizes for value in curve.values(size)]
    knee = find_knee(log2(size for size, _ in points), log2(value for _, value in points))
    if knee is None or knee.at.interval is None:
        return None
    low, high = (exp2(end) for end in (knee.at.interval.low, knee.at.interval.high))
    at = Estimate(exp2(knee.at.value), Interval(low, high, knee.at.interval.level), knee.at.n)
    meaning = f"size at which the throughput of {curve.words} bends, by segmented regression on logarithmic axes"
    claim = curve.claim(
        f"{curve.name}.knee", at, "bytes", ClaimKind.RATE, f"{meaning}; n counts all points", *curve.sizes
    )
    return replace(claim, wanted_n=None)


def _level(curve: Subject) -> Claim | None:
    """The smallest size from which on no median is further away than a tenth."""
    medians = {size: estimate_median(curve.values(size)).value for size in curve.sizes}
    flat = (size for size in curve.sizes[:-1] if is_level([medians[each] for each in medians if each >= size]))
    size = next(flat, None)
    if size is None:
        return None
    where = Estimate(size, None, len(curve.values(size)))
    meaning = f"size from which on the throughput of {curve.words} is level: no larger one moves it by over a tenth"
    return curve.claim(f"{curve.name}.level", where, "size", ClaimKind.DERIVED, meaning, *curve.sizes)
