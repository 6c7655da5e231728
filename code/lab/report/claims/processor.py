"""Claims about processor time: what a message, and a gigabyte, takes of each end's processor, as our programs say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_median
from lab.model.sizes import format_size
from lab.programs.request import ENDS, ONE_WAY
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.lines import scaled
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.tex.units import NANO, in_words
from lab.spec.experiment import Series

LARGE_BYTES = 64 << 10  # from here on a message costs what its bytes cost
GIGA = 1e9
MOVED = 2.0  # times the least
CLIENT = ENDS[0]
MESSAGES = "processor_messages"
# One of the messages, by what is measured.
MESSAGE = {"throughput": "a message", "latency": "a round trip", ONE_WAY: "a call"}


@dataclass(frozen=True)
class EndClaims(ClaimGroup):
    """One end at one size."""

    message: Claim
    gigabyte: Claim | None  # of large messages that follow each other


@dataclass(frozen=True)
class ProcessorClaims(ClaimGroup):
    """A series at one point, by end and size; only those sizes of which its programs said more than nothing."""

    curve: Subject
    ends: dict[str, dict[int, EndClaims]]

    @property
    def words(self) -> str:
        """Whose messages, and whether they come back."""
        return f"{self.curve.words}, there and back" if self.curve.series.measure == "latency" else self.curve.words


@dataclass(frozen=True)
class ProcessorSweep(ClaimGroup):
    """A series that varies parameters, at each point of which its programs said more than nothing."""

    series: Series
    points: tuple[ProcessorClaims, ...]  # in the order of the file

    @property
    def sizes(self) -> tuple[int, ...]:
        """Those of which every point has both ends' times."""
        found = [by_size.keys() for each in self.points for by_size in each.ends.values()]
        return tuple(size for size in found[0] if all(size in sizes for sizes in found))

    @property
    def reach(self) -> tuple[ProcessorClaims, ProcessorClaims]:
        """The points at which the smallest messages take their sender least, and most."""
        by_time = sorted(self.points, key=self.smallest)
        return by_time[0], by_time[-1]

    @property
    def moves(self) -> bool:
        """Whether what is varied changes it by more than a part: a figure shows more than a sentence then."""
        least, most = self.reach
        return self.smallest(most) >= MOVED * self.smallest(least)

    def smallest(self, point: ProcessorClaims) -> float:
        """What the smallest messages take their sender at a point, in seconds."""
        return self.at(point).estimate.value

    def at(self, point: ProcessorClaims) -> Claim:
        """The claim of it."""
        return point.ends[CLIENT][self.sizes[0]].message


def processor_claims(evidence: Evidence) -> tuple[ProcessorClaims, ...]:
    """All curves of our programs in which sizes are laid beside each other."""
    shown = (each for each in _ours(evidence) if each.measure == ONE_WAY or not each.vary)
    return tuple(found for series in shown for found in _told(evidence, series))


def processor_sweeps(evidence: Evidence) -> tuple[ProcessorSweep, ...]:
    """All others of our programs: those in which values of a parameter are."""
    swept = (each for each in _ours(evidence) if each.measure != ONE_WAY and each.vary)
    found = (ProcessorSweep(each, tuple(_told(evidence, each))) for each in swept)
    return tuple(each for each in found if len(each.points) == len(each.series.points()) and each.sizes)


def _ours(evidence: Evidence) -> Iterator[Series]:
    return filter(is_ours, evidence.plan.experiment.series)


def _told(evidence: Evidence, series: Series) -> Iterator[ProcessorClaims]:
    found = map(_of_curve, _curves(evidence, series))
    return (each for each in found if any(each.ends.values()))


def _curves(evidence: Evidence, series: Series) -> Iterator[Subject]:
    for point in series.points():
        yield Subject(evidence, series, MESSAGES, point)


def _of_curve(curve: Subject) -> ProcessorClaims:
    of_ends = {end: replace(curve, column=f"{end}_processor_ns") for end in ENDS}
    sizes = [size for size in curve.sizes if all(_are_told(found.values(size)) for found in of_ends.values())]
    return ProcessorClaims(
        curve, {end: {size: _of_end(found, end, size) for size in sizes} for end, found in of_ends.items()}
    )


def _are_told(times: tuple[int, ...]) -> bool:
    """Whether there are any; a kernel that counts in ticks has none for a short size."""
    return bool(times) and all(times)


def _of_end(curve: Subject, end: str, size: int) -> EndClaims:
    messages = replace(curve, column=MESSAGES).values(size)
    times = [time_ns / count for time_ns, count in zip(curve.values(size), messages, strict=True)]
    median = scaled(estimate_median(times), NANO)
    name, about = f"{curve.name}.{format_size(size)}.{end}", f"{curve.words}, messages of {in_words(size)}"

    def claim(kind: str, estimate: Estimate, meaning: str) -> Claim:
        words = f"median processor time of the {end} for {meaning} of {about}"
        return curve.claim(f"{name}.{kind}", estimate, "s", ClaimKind.RATE, words, size)

    measure = curve.series.measure
    with_gigabyte = measure == "throughput" and size >= LARGE_BYTES
    gigabyte = claim("gigabyte", scaled(median, GIGA / size), "a gigabyte") if with_gigabyte else None
    return EndClaims(claim("processor", median, MESSAGE[measure]), gigabyte)
