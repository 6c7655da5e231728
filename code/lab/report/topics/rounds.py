"""Rounds that were repeated until they agreed: the stop rule evaluated again, plain and corrected throughput."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.analysis.estimate import Estimate, estimate_median
from lab.analysis.rounds import Correction, State, UntilStable, stop_at, until_completed, without_way_back
from lab.errors import RecordError
from lab.programs.program import Sample
from lab.records.table import last_rounds_ns
from lab.report.evidence.curve import Subject
from lab.report.tex.numbers import NANO, in_words

ONE_SIDED = ("write", "read")


@dataclass(frozen=True)
class Rounds:
    """One size of a curve: the result of each repetition."""

    curve: Subject
    size: int
    bytes: int  # of a round
    counts: tuple[int, ...]  # rounds
    reached: int  # repetitions whose rounds agreed
    times_ns: tuple[float, ...]  # of a round, the mean of the last rounds, which the stop rule compared
    completed_ns: tuple[float, ...]  # the same up to the last completion
    trips_ns: tuple[float, ...]  # the median round trip of the control message
    rates: tuple[tuple[float, ...], ...] = ()  # of every round, in bytes per ns

    @property
    def spreads(self) -> list[float]:
        """The fastest round of each repetition over its slowest."""
        return [max(rates) / min(rates) for rates in self.rates]

    def plain(self) -> Estimate:
        """The throughput in bytes per second."""
        return estimate_median([self.bytes / NANO / time for time in self.times_ns])

    def correction(self) -> Correction:
        """A receiver that sees the data answers at once, and its answer comes back. Any other receiver gets a message
        after the last completion; then a READ's data are here, and a WRITE's are acknowledged."""
        amount, operation = self.bytes / NANO, self.curve.series.operation
        if operation not in ONE_SIDED:
            return without_way_back(amount, self.times_ns, self.trips_ns)
        trips = [0.0] * len(self.trips_ns) if operation == "read" else self.trips_ns
        return until_completed(amount, self.times_ns, self.completed_ns, trips)


def rounds_of(curve: Subject) -> Iterator[Rounds]:
    """The rounds of each size; an error where a record's rounds stop elsewhere than the rule says."""
    records = curve.evidence.samples(curve.series.name, curve.point)
    for size in curve.sizes:
        repetitions = [
            _Repetition(curve, key, [sample for sample in samples if sample.size_bytes == size])
            for key, samples in records.items()
        ]
        yield Rounds(
            curve,
            size,
            repetitions[0].rounds[0].bytes,
            tuple(len(repetition.rounds) for repetition in repetitions),
            sum(repetition.is_settled() for repetition in repetitions),
            tuple(repetition.time_ns() for repetition in repetitions),
            tuple(repetition.completed_ns() for repetition in repetitions),
            tuple(repetition.trip_ns() for repetition in repetitions),
            tuple(tuple(repetition.rates()) for repetition in repetitions),
        )


@dataclass(frozen=True)
class _Repetition:
    """The samples of one size in one record."""

    curve: Subject
    key: str
    samples: list[Sample]

    def of(self, kind: str) -> list[Sample]:
        return [sample for sample in self.samples if sample.sample == kind]

    @property
    def rounds(self) -> list[Sample]:
        return sorted(self.of("round"), key=lambda sample: sample.index)

    @property
    def last(self) -> Sample:
        (last,) = (*self.of("settled"), *self.of("unsettled"))
        return last

    def time_ns(self) -> float:
        return self.last.time_ns * self.rounds[0].messages / self.last.messages

    def completed_ns(self) -> float:
        whole = last_rounds_ns(self.of("round_completed"), self.last)
        return whole * self.rounds[0].messages / self.last.messages

    def trip_ns(self) -> float:
        return estimate_median([trip.time_ns for trip in self.of("control_trip")]).value

    def rates(self) -> list[float]:
        return [sample.bytes / sample.time_ns for sample in self.rounds]

    def is_settled(self) -> bool:
        """The program's verdict; an error if the rule does not agree."""
        asked = self.curve.series.parameters(self.curve.site, self.curve.point).round_limits
        decision = stop_at(UntilStable(asked.target, asked.window, asked.cap), self.rates())
        recorded = State.REACHED if self.of("settled") else State.NOT_REACHED
        if (decision.state, decision.n) != (recorded, len(self.rounds)):
            size = in_words(self.samples[0].size_bytes)
            raise RecordError(f"the rounds of {size} stop elsewhere than the rule says", where=self.key)
        return recorded is State.REACHED
