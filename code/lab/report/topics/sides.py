"""The calls of each end: the time of a send and of a receive, its knee or jump, and its growth per byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, stdev

from lab.analysis.estimate import LEVEL, Estimate
from lab.analysis.knees import find_knee
from lab.analysis.ratios import ratio_of_medians, ratios_of_medians
from lab.analysis.summary import estimate_mean, estimate_median
from lab.analysis.verdict import Verdict, judge
from lab.programs.request import ONE_WAY
from lab.records.row import SIDES
from lab.report.answer import Answer
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import label
from lab.report.tex.units import NANO
from lab.report.topics.lines import Times, scaled
from lab.spec.experiment import Series

LEAST_ABOVE, LEAST_RANGE = 3, 2.0  # sizes from the knee on, and last over first, for a line through them
NEAR = 1.01  # two sizes that differ by less: what a byte costs cannot show between them
LEAST_LEAP = 0.05  # of a call's time, beyond which its growth is no noise


@dataclass(frozen=True)
class SideCurve:
    """One end of a series at one point: the times of its calls; its values are means of a repetition, in ns."""

    curve: Subject
    side: str
    leap: tuple[int, int, Estimate] | None  # the sizes below and above, and the factor
    knee: Estimate | None  # the size from which on a byte costs another time; none where the time leaps

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

    def mean(self, size: int) -> Answer:
        """The mean over repetitions."""
        return self._seconds(estimate_mean(self.curve.values(size)), size)

    def median(self, size: int) -> Answer:
        """The median over repetitions of each repetition's median."""
        return self._seconds(estimate_median(self.medians(size)), size)

    def medians(self, size: int) -> tuple[int, ...]:
        """The median of each repetition, in ns."""
        return replace(self.curve, column=f"{self.side}_median_ns").values(size)

    def deviation(self, size: int) -> Answer:
        """The median over repetitions of the standard deviation within each."""
        records = self.curve.evidence.samples(self.curve.series.name, self.curve.point).values()
        times = ([s.time_ns for s in all_ if (s.sample, s.size_bytes) == (self.side, size)] for all_ in records)
        return self._seconds(estimate_median([stdev(repetition) for repetition in times]), size)

    def below(self) -> Answer:
        """The time of a call averaged over the sizes up to the leap or the knee; without either, over all sizes. Every
        repetition counts once."""
        most = self.leap[0] if self.leap else self.knee.value if self.knee else self.curve.sizes[-1]
        sizes = [size for size in self.curve.sizes if size <= most]
        return self._seconds(estimate_mean([fmean(row[: len(sizes)]) for row in self.curve.rows()]), *sizes)

    def knee_size(self) -> Answer | None:
        """The knee, which rests on all sizes."""
        return self.curve.answer(self.knee, "bytes", *self.curve.sizes) if self.knee else None

    def above(self) -> Answer | None:
        """The rate of a byte from the leap or the knee on, where the sizes there are enough for a line."""
        first = self.leap[1] if self.leap else self.knee.value if self.knee else self.curve.sizes[0]
        sizes = [size for size in self.curve.sizes if size >= first]
        if len(sizes) < LEAST_ABOVE or sizes[-1] < LEAST_RANGE * sizes[0]:
            return None
        times = self.times_from(first)
        return None if times.pieces() else times.rate()

    def times_from(self, least: float) -> Times:
        """The means of the sizes from the least on, for a line."""
        sizes = tuple(float(size) for size in self.curve.sizes if size >= least)
        return Times(self.curve, self.words, sizes, self.curve.rows(least))

    def steps(self) -> dict[int, Answer]:
        """The change over the two bytes around each size that has neighbours: it shows a step, and hides a gradual
        cost."""
        sizes = self.curve.sizes
        return {size: self._step(size) for size in sizes if {size - 1, size + 1} <= set(sizes)}

    def _step(self, size: int) -> Answer:
        estimate = ratio_of_medians(self.curve.values(size + 1), self.curve.values(size - 1))
        return self.curve.answer(estimate, "", size - 1, size + 1)

    def _seconds(self, estimate_ns: Estimate, *sizes: int) -> Answer:
        return self.curve.answer(scaled(estimate_ns, NANO), "s", *sizes)


def series_of_sides(evidence: Evidence) -> tuple[Series, ...]:
    """The series in which each end times its calls."""
    return tuple(series for series in evidence.plan.experiment.series if series.measure == ONE_WAY)


def all_sides(evidence: Evidence) -> dict[str, tuple[SideCurve, ...]]:
    """By series, both ends at each of its varied values."""
    return {series.name: tuple(sides(evidence, series)) for series in series_of_sides(evidence)}


def sides(evidence: Evidence, series: Series) -> Iterator[SideCurve]:
    """Both ends of a series at each of its varied values. The level of a knee is so high that 95 % hold for all curves
    of the experiment together."""
    curves = sum(len(timed.points()) * len(SIDES) for timed in series_of_sides(evidence))
    for point in series.points():
        for side in SIDES:
            curve = Subject(evidence, series, f"{side}_mean_ns", point)
            leap = leap_of(curve)
            yield SideCurve(curve, side, leap, None if leap else _knee(curve, 1 - (1 - LEVEL) / curves))


def leap_of(curve: Subject) -> tuple[int, int, Estimate] | None:
    """The largest growth of a curve of times between two sizes a few bytes apart: the size below, the size above and
    the factor, whose interval allows for the choice. None where no such growth is beyond noise."""
    neighbours = [(small, large) for small, large in pairwise(sorted(curve.sizes)) if large <= NEAR * small]
    if not neighbours:
        return None
    factors = ratios_of_medians([(curve.values(large), curve.values(small)) for small, large in neighbours])
    (small, large), factor = max(zip(neighbours, factors, strict=True), key=lambda leap: leap[1].value)
    return (small, large, factor) if judge(factor, margin=LEAST_LEAP) is Verdict.MORE else None


def _knee(curve: Subject, level: float) -> Estimate | None:
    rows = curve.rows()
    sizes, means = curve.sizes * len(rows), [mean for row in rows for mean in row]
    knee = find_knee(tuple(map(float, sizes)), tuple(map(float, means)), level=level)
    return knee.at if knee else None
