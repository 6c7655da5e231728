"""The calls of each end: the time of a send and of a receive."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import stdev

from lab.analysis.estimate import Estimate, estimate_median
from lab.experiment.experiment import Series
from lab.programs.program import ONE_WAY
from lab.report.answer import Answer
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.tex.numbers import NANO
from lab.report.topics.lines import scaled


@dataclass(frozen=True)
class SideCurve:
    """One end of a series at one point: the times of its calls; its values are means of a repetition, in ns."""

    curve: Subject
    side: str

    def deviation(self, size: int) -> Answer:
        """The median over repetitions of the standard deviation within each."""
        return self._seconds(estimate_median([stdev(repetition) for repetition in self.calls(size)]), size)

    def calls(self, size: int) -> list[list[int]]:
        """The times of the calls of each repetition, in their order, in ns."""
        records = self.curve.evidence.samples(self.curve.series.name, self.curve.point).values()
        return [[s.time_ns for s in all_ if (s.sample, s.size_bytes) == (self.side, size)] for all_ in records]

    def _seconds(self, estimate_ns: Estimate, *sizes: int) -> Answer:
        return self.curve.answer(scaled(estimate_ns, NANO), "s", *sizes)


def series_of_sides(evidence: Evidence) -> tuple[Series, ...]:
    """The series in which each end times its calls."""
    return tuple(series for series in evidence.plan.experiment.series if series.measure == ONE_WAY)
