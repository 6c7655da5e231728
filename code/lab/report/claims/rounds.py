"""Rounds that were repeated until they agreed: the rule asked again, plain and corrected throughput, the round trip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.analysis.estimate import Estimate
from lab.analysis.overhead import Correction, until_completed, without_way_back
from lab.analysis.stopping import State, UntilStable, stop_at
from lab.analysis.summary import estimate_median
from lab.errors import RecordError
from lab.model.sizes import format_size
from lab.programs.request import Sample
from lab.records.table import last_rounds_ns
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.lines import scaled
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.tex.units import NANO, in_words

ONE_SIDED = ("write", "read")
LESS_HALF = "throughput less half of the round trip, from nothing off to all"
CORRECTED = {
    "write": "throughput to the last completion, from nothing off to a round trip less",
    "read": "throughput to the last completion, when the data are there",
}


@dataclass(frozen=True)
class Rounds:
    """One size of a curve: the result of each repetition."""

    curve: Subject
    size: int
    bytes: int  # of one round
    counts: tuple[int, ...]  # rounds
    reached: int  # repetitions whose rounds agreed
    times_ns: tuple[float, ...]  # of a round, the mean of those that were looked at last
    completed_ns: tuple[float, ...]  # the same up to the last completion
    trips_ns: tuple[float, ...]  # the median round trip of the control message
    spreads: tuple[float, ...] = ()  # the highest rate of a round over the lowest, of all its rounds

    @property
    def name(self) -> str:
        return f"{self.curve.name}.{format_size(self.size)}"

    def plain(self) -> Estimate:
        """The throughput in bytes per second."""
        return estimate_median([self.bytes / NANO / each for each in self.times_ns])

    def correction(self) -> Correction:
        """A receiver that sees the data answers at once, and its answer comes back. Another gets a
        message after the last completion; then a READ's data are here, and a WRITE's are acknowledged."""
        amount, operation = self.bytes / NANO, self.curve.series.operation
        if operation not in ONE_SIDED:
            return without_way_back(amount, self.times_ns, self.trips_ns)
        trips = [0.0] * len(self.trips_ns) if operation == "read" else self.trips_ns
        return until_completed(amount, self.times_ns, self.completed_ns, trips)


def rounds_curves(evidence: Evidence) -> tuple[Subject, ...]:
    """Every series whose rounds were repeated, at each of its varied values."""
    return evidence.once(_rounds_curves)


def _rounds_curves(evidence: Evidence) -> tuple[Subject, ...]:
    return tuple(
        subject(evidence, series, point=point)
        for series in (*evidence.all_series("throughput"), *evidence.sweeps)
        for point in series.points()
        if series.parameters(evidence.plan.site.name, point).until_stable
    )


def rounds_of(curve: Subject) -> Iterator[Rounds]:
    """One for each size; an error where a record's rounds stop elsewhere than the rule says."""
    records = curve.evidence.samples(curve.series.name, curve.point)
    for size in curve.sizes:
        found = [_Repetition(curve, key, [s for s in each if s.size_bytes == size]) for key, each in records.items()]
        yield Rounds(
            curve,
            size,
            found[0].rounds[0].bytes,
            tuple(len(each.rounds) for each in found),
            sum(each.is_settled() for each in found),
            tuple(each.time_ns() for each in found),
            tuple(each.completed_ns() for each in found),
            tuple(estimate_median([trip.time_ns for trip in each.of("control_trip")]).value for each in found),
            tuple(each.spread() for each in found),
        )


@dataclass(frozen=True)
class _Repetition:
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

    def spread(self) -> float:
        """How far the rounds of one repetition lie apart, as a factor."""
        rates = [each.bytes / each.time_ns for each in self.rounds]
        return max(rates) / min(rates)

    def is_settled(self) -> bool:
        """The program's verdict; an error if the rule does not agree."""
        asked = self.curve.series.parameters(self.curve.evidence.plan.site.name, self.curve.point).round_limits
        rule = UntilStable(asked.target, asked.window, asked.cap)
        decision = stop_at(rule, [each.bytes / each.time_ns for each in self.rounds])
        said = State.REACHED if self.of("settled") else State.NOT_REACHED
        if (decision.state, decision.n) != (said, len(self.rounds)):
            size = in_words(self.samples[0].size_bytes)
            raise RecordError(f"the rounds of {size} stop elsewhere than the rule says", where=self.key)
        return said is State.REACHED


@dataclass(frozen=True)
class RoundClaims(ClaimGroup):
    """One size: the round trip, its share of a round, both throughputs, the corrected one unless it is refused, and how
    far rounds lie apart."""

    rounds: Rounds
    control_trip: Claim
    share: Claim
    plain: Claim
    corrected: Claim | None
    spread: Claim


@dataclass(frozen=True)
class RoundsClaims(ClaimGroup):
    """Every size of a curve, and of how many the rounds agreed and the throughput was corrected."""

    curve: Subject
    by_size: dict[int, RoundClaims]
    agreed: Claim
    unsettled: Claim
    refused: Claim
    corrected: Claim
    share_size: Claim


def rounds_claims(curve: Subject) -> RoundsClaims:
    """The round trip, its share and both throughputs of each size; the number of agreed and corrected sizes."""
    by_size = {each.size: _size_claims(each) for each in rounds_of(curve)}
    found = [each.rounds for each in by_size.values()]
    refused = sum(each.corrected is None for each in by_size.values())
    agreed = sum(each.reached == len(each.counts) for each in found)
    largest = max(by_size, key=lambda size: by_size[size].share.estimate.value)

    def counted(name: str, value: int, meaning: str, unit: str = "") -> Claim:
        estimate = Estimate(value, None, len(found[0].counts))
        return curve.claim(
            f"{curve.name}.{name}", estimate, unit, ClaimKind.DERIVED, f"{meaning}, {curve.words}", *curve.sizes
        )

    return RoundsClaims(
        curve,
        by_size,
        counted("agreed", agreed, "sizes at which the rounds of every repetition agreed"),
        counted("unsettled", len(found) - agreed, "sizes at which those of some repetition did not, up to the cap"),
        counted("refused", refused, "sizes at which what is to be taken off is too large a part"),
        counted("corrected", len(found) - refused, "sizes at which it was taken off"),
        counted("share.size", largest, "size at which what is taken off is the largest part of a round", "size"),
    )


def _size_claims(each: Rounds) -> RoundClaims:
    about = f"{each.curve.words}, messages of {in_words(each.size)}, rounds of {each.bytes} B"
    correction = each.correction()

    def claim(name: str, estimate: Estimate, unit: str, meaning: str) -> Claim:
        return each.curve.claim(f"{each.name}.{name}", estimate, unit, ClaimKind.RATE, f"{meaning}: {about}", each.size)

    trip, share = scaled(estimate_median(each.trips_ns), NANO), scaled(correction.share, 100.0)
    rate, meaning = correction.rate, CORRECTED.get(each.curve.series.operation, LESS_HALF)
    return RoundClaims(
        each,
        claim("control_trip", trip, "s", "round trip of the control message"),
        claim("share", share, "percent", "what is taken off, as a part of a round's time"),
        claim("plain", each.plain(), "B/s", "throughput with nothing taken off"),
        claim("corrected", rate, "B/s", meaning) if rate else None,
        _spread(each),
    )


def _spread(each: Rounds) -> Claim:
    """A ratio within one curve."""
    meaning = f"highest rate of a round over the lowest within a repetition: {each.curve.words}, messages of "
    claim = each.curve.claim(
        f"{each.name}.spread",
        estimate_median(each.spreads),
        "",
        ClaimKind.RATIO,
        meaning + in_words(each.size),
        each.size,
    )
    return replace(claim, base="its slowest round", base_link=claim.link)
