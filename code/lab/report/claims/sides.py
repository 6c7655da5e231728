"""Each end's own calls: the time of a send and a receive, its knee, and its growth per byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from lab.analysis.estimate import LEVEL, Estimate, reciprocal
from lab.analysis.knees import find_knee
from lab.analysis.ratios import ratio_of_medians
from lab.analysis.summary import estimate_mean, estimate_median
from lab.model.sizes import format_size
from lab.programs.request import ONE_WAY, Sample
from lab.records.row import SIDES
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.leaps import LeapClaims, leap_claims
from lab.report.claims.lines import Times, scaled
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import label
from lab.report.tex.units import NANO, in_words
from lab.spec.experiment import Series

LEAST_ABOVE, LEAST_RANGE = 3, 2.0  # sizes from the knee on, and last over first, for a line through them


@dataclass(frozen=True)
class SideCurve:
    """One end of a series at one point; its values are means of a repetition, in ns."""

    curve: Subject
    side: str
    level: float  # at which a knee is looked for, so that 95 % hold for all curves of the experiment together

    @property
    def name(self) -> str:
        return f"{self.curve.name}.{self.side}"

    @property
    def variant(self) -> str:
        """The varied values."""
        return " ".join(map(str, self.curve.point.values()))

    @property
    def words(self) -> str:
        return ", ".join(filter(None, (f"{self.side} of {label(self.curve.series)}", self.variant)))

    def points(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Sizes and means, of every repetition."""
        rows = self.curve.rows()
        return tuple(map(float, self.curve.sizes)) * len(rows), tuple(float(mean) for row in rows for mean in row)

    def medians(self, size: int) -> tuple[int, ...]:
        """The values of each repetition."""
        return replace(self.curve, column=f"{self.side}_median_ns").values(size)

    def knee(self) -> Estimate | None:
        """The size from which on a byte costs another time, if the data support one."""
        found = find_knee(*self.points(), level=self.level)
        return found.at if found else None

    def times_from(self, least: float) -> Times:
        """The means of the sizes from this one on, for a line."""
        sizes = tuple(float(size) for size in self.curve.sizes if size >= least)
        return Times(self.curve, self.words, sizes, self.curve.rows(least), f"{self.side}.fit")

    def mean_up_to(self, size: float) -> Estimate:
        """The time over all sizes up to this one; every repetition counts as one."""
        sizes = sum(each <= size for each in self.curve.sizes)
        return estimate_mean([fmean(row[:sizes]) for row in self.curve.rows()])


def series_of_sides(evidence: Evidence) -> tuple[Series, ...]:
    """The series in which each end times its own calls."""
    return tuple(each for each in evidence.plan.experiment.series if each.measure == ONE_WAY)


def sides(evidence: Evidence, series: Series) -> Iterator[SideCurve]:
    """Both ends of a series at each of its varied values."""
    curves = sum(len(each.points()) * len(SIDES) for each in series_of_sides(evidence))
    for point in series.points():
        for side in SIDES:
            yield SideCurve(Subject(evidence, series, f"{side}_mean_ns", point), side, 1 - (1 - LEVEL) / curves)


@dataclass(frozen=True)
class CallClaims(ClaimGroup):
    """A call with messages of one size."""

    mean: Claim
    deviation: Claim
    median: Claim


@dataclass(frozen=True)
class SideClaims(ClaimGroup):
    """The claims of every size, of a byte more and a byte less, and of the whole curve."""

    side: SideCurve
    by_size: dict[int, CallClaims]
    steps: dict[int, Claim]  # of the sizes that were probed
    knee: Claim | None  # none where the time leaps
    leap: LeapClaims | None
    below: Claim  # the knee or the leap, or of all sizes
    above: Claim | None


def side_claims(found: SideCurve) -> SideClaims:
    """Mean, standard deviation and median of each size, and the claims of the whole curve."""
    deviations = dict(_deviations(found))
    by_size = {size: _of_size(found, size, deviations[size]) for size in found.curve.sizes}
    steps = {size: _step(found, size) for size in probed(found)}
    leap = leap_claims(found.curve, found.name, found.words)
    knee = None if leap else found.knee()
    below, above = _below(found, knee, leap), _above(found, knee, leap)
    return SideClaims(found, by_size, steps, _knee(found, knee), leap, below, above)


def _of_size(found: SideCurve, size: int, deviations: list[float]) -> CallClaims:
    def claim(kind: str, estimate: Estimate, meaning: str) -> Claim:
        about = f"{meaning} of the {found.words}, messages of {in_words(size)}"
        name = f"{found.name}.{format_size(size)}.{kind}"
        return found.curve.claim(name, scaled(estimate, NANO), "s", ClaimKind.RATE, about, size)

    return CallClaims(
        claim("mean", estimate_mean(found.curve.values(size)), "mean"),
        claim("deviation", estimate_median(deviations), "standard deviation within a repetition"),
        claim("median", estimate_median(found.medians(size)), "median"),
    )


def _knee(found: SideCurve, knee: Estimate | None) -> Claim | None:
    if knee is None:
        return None
    curve, meaning = found.curve, f"knee of the {found.words}, by segmented regression; n: points"
    claim = curve.claim(f"{found.name}.knee", knee, "bytes", ClaimKind.RATE, meaning, *curve.sizes)
    return replace(claim, wanted_n=None)


def _below(found: SideCurve, knee: Estimate | None, leap: LeapClaims | None) -> Claim:
    """The time of a call up to the knee or the leap; without either, over all sizes."""
    curve = found.curve
    at, which = (knee.value, "up to the knee") if knee else (curve.sizes[-1], "of all sizes, since there is no knee")
    if leap:
        at, which = leap.below, f"up to {in_words(leap.below)}, behind which it leaps"
    mean = scaled(found.mean_up_to(at), NANO)
    meaning = f"mean of the {found.words}, {which}"
    return curve.claim(f"{found.name}.below", mean, "s", ClaimKind.RATE, meaning, *(s for s in curve.sizes if s <= at))


def _above(found: SideCurve, knee: Estimate | None, leap: LeapClaims | None) -> Claim | None:
    """The cost of a byte from the knee or the leap on, where the sizes there are enough for a line."""
    curve = found.curve
    first = leap.above if leap else knee.value if knee else curve.sizes[0]
    above = [size for size in curve.sizes if size >= first]
    if len(above) < LEAST_ABOVE or above[-1] < LEAST_RANGE * above[0]:
        return None
    times = found.times_from(above[0])
    slope = times.line().slope
    if slope.value <= 0 or times.pieces():
        return None
    meaning = f"1/slope of the line through the {found.words}, from {in_words(above[0])} on"
    rate = scaled(reciprocal(slope), 1 / NANO)
    return curve.claim(f"{found.name}.above", rate, "B/s", ClaimKind.SLOPE, meaning, *above)


def probed(found: SideCurve) -> tuple[int, ...]:
    """The sizes beside which a byte less and a byte more were measured too."""
    return tuple(size for size in found.curve.sizes if {size - 1, size + 1} <= set(found.curve.sizes))


def _step(found: SideCurve, size: int) -> Claim:
    """The change over the two bytes around a size: it shows a step and hides a gradual cost."""
    below, above = in_words(size - 1), in_words(size + 1)
    ratio = ratio_of_medians(found.curve.values(size + 1), found.curve.values(size - 1))
    meaning = f"mean of the {found.words}, messages of {above} over those of {below}"
    name = f"{found.name}.{format_size(size)}.step"
    claim = found.curve.claim(name, ratio, "", ClaimKind.RATIO, meaning, size - 1, size + 1)
    return replace(claim, base=f"{found.words} at {below}", base_link=claim.link)


def _deviations(found: SideCurve) -> Iterator[tuple[int, list[float]]]:
    """The standard deviation of each size within every repetition."""
    curve = found.curve
    records = curve.evidence.samples(curve.series.name, curve.point).values()
    for size in curve.sizes:
        yield size, [stdev(_times(each, found.side, size)) for each in records]


def _times(samples: tuple[Sample, ...], side: str, size: int) -> list[int]:
    return [sample.time_ns for sample in samples if (sample.sample, sample.size_bytes) == (side, size)]
