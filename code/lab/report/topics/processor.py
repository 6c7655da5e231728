"""Processor time: what a message takes of each end's processor, as the lab's programs report it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.analysis.summary import estimate_median
from lab.programs.request import ENDS, ONE_WAY
from lab.report.answer import Answer
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.tex.units import NANO
from lab.report.topics.lines import scaled
from lab.spec.experiment import Series

MOVED = 2.0  # times the least
CLIENT = ENDS[0]
MESSAGES = "processor_messages"


@dataclass(frozen=True)
class ProcessorTimes:
    """The time of a message at one point of a series, by end and size; only sizes of which both ends reported some."""

    curve: Subject
    ends: dict[str, dict[int, Answer]]

    @property
    def words(self) -> str:
        """Whose messages, and whether they come back."""
        return f"{self.curve.words}, there and back" if self.curve.series.measure == "latency" else self.curve.words


@dataclass(frozen=True)
class ProcessorSweep:
    """A series that varies parameters, with both ends' times at every point, in the order of the file."""

    series: Series
    points: tuple[ProcessorTimes, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of which every point has both ends' times."""
        found = [by_size.keys() for point in self.points for by_size in point.ends.values()]
        return tuple(size for size in found[0] if all(size in sizes for sizes in found))

    @property
    def moves(self) -> bool:
        """Whether the varied values change what the smallest messages take their sender by a factor."""
        times = [point.ends[CLIENT][self.sizes[0]].estimate.value for point in self.points]
        return max(times) >= MOVED * min(times)


def processor_times(evidence: Evidence) -> tuple[ProcessorTimes, ...]:
    """The curves over sizes of all of the lab's programs."""
    shown = (series for series in _ours(evidence) if series.measure == ONE_WAY or not series.vary)
    return tuple(times for series in shown for times in _reported(evidence, series))


def processor_sweeps(evidence: Evidence) -> tuple[ProcessorSweep, ...]:
    """The series of the lab's programs that vary a parameter, where every point reported its time."""
    varied = (series for series in _ours(evidence) if series.measure != ONE_WAY and series.vary)
    found = (ProcessorSweep(series, tuple(_reported(evidence, series))) for series in varied)
    return tuple(sweep for sweep in found if len(sweep.points) == len(sweep.series.points()) and sweep.sizes)


def _ours(evidence: Evidence) -> Iterator[Series]:
    return filter(is_ours, evidence.plan.experiment.series)


def _reported(evidence: Evidence, series: Series) -> Iterator[ProcessorTimes]:
    for point in series.points():
        times = _times(Subject(evidence, series, MESSAGES, point))
        if any(times.ends.values()):
            yield times


def _times(curve: Subject) -> ProcessorTimes:
    """A kernel that counts in ticks reports nothing for a short size."""
    ends = {end: replace(curve, column=f"{end}_processor_ns") for end in ENDS}
    sizes = [size for size in curve.sizes if all(of.values(size) and all(of.values(size)) for of in ends.values())]
    return ProcessorTimes(curve, {end: {size: _message(curve, of, size) for size in sizes} for end, of in ends.items()})


def _message(curve: Subject, end: Subject, size: int) -> Answer:
    """The median time of a message at one end."""
    pairs = zip(end.values(size), curve.values(size), strict=True)
    return end.answer(scaled(estimate_median([time_ns / count for time_ns, count in pairs]), NANO), "s", size)
