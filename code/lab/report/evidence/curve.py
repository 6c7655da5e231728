"""One series by size: its values, times and rounds, and the least difference that counts."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from lab.analysis.estimate import estimate_median
from lab.analysis.knees import find_jumps, find_steps
from lab.analysis.rounds import Correction, corrected, until_stable
from lab.errors import RecordError
from lab.experiment.experiment import Point, Series
from lab.model.parameters import RoundLimits
from lab.programs.program import ONE_WAY, Sample
from lab.records.table import Row
from lab.report.evidence.evidence import COMPLETED, CONFIRMED, STEADY, Evidence
from lab.report.evidence.labels import label, label_within
from lab.report.tex.numbers import NANO, in_words
from lab.sites.site import FIXED_TRAITS, Clock, Traits

# Of a median. Repetitions start from perturbed instants, which move the stack and the timer: of 1,872 in
# results/reference whose throughput Verbyte's programs measured on exact, 90 % are within 1 % of the median of their
# series and size (without TCP_NODELAY, whose small messages have two rates). The position of a function in a program,
# which no repetition moves, has as large an effect.
INSTRUCTIONS = 0.01
# Chosen, not measured: repetitions that run one after the other do not show the change from day to day. Two runs of one
# experiment may differ by 10 % (lab.records.compare.TOLERANCE): by half of it for either side of a ratio.
WALL = 0.05


def margin_of(traits: Traits) -> float:
    return INSTRUCTIONS if traits.clock is Clock.INSTRUCTIONS else WALL


def margin_of_sites(sites: Iterable[str]) -> float:
    """The larger margin of sites that are given by their names."""
    traits = map(FIXED_TRAITS.get, sites)
    return max((margin_of(known) if known else WALL for known in traits), default=WALL)


STOPS = {
    CONFIRMED: "the receiver's confirmation",
    COMPLETED: "the client's last completion",
    STEADY: "the client's last completion, from the end of the first window on",
}
ROUND_TRIP = "round_trip_ns"
LEVEL_CURVE = 1.1  # a saturated curve stays within a tenth of its first saturated rate
ONE_SIDED = ("write", "read")


def is_fetch(series: Series) -> bool:
    """Whether the series is a READ, whose data have arrived after the whole round trip."""
    return series.operation == "read"


def is_whole(series: Series) -> bool:
    """Whether a time counts as it was measured: of a READ, and of what several computers do together."""
    return is_fetch(series) or series.tool.together


@dataclass(frozen=True)
class MeasuredCurve:
    """A series at one point, and the column of its values; `end` for a series whose ends time their calls."""

    evidence: Evidence
    series: Series
    column: str
    point: Point
    end: str = ""

    @property
    def kind(self) -> str:
        return self.series.measure

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.series.sizes(self.site)

    @property
    def words(self) -> str:
        if not self.point:
            return label_within(self.evidence.plan.experiment, self.series)
        return label(self.series) + "".join(f", {name} {value}" for name, value in self.point.items())

    @property
    def site(self) -> str:
        return self.evidence.plan.site.name

    def rows(self, size: int) -> list[Row]:
        """A row for each repetition; none where the program does not print the column."""
        rows = self.evidence.rows_of(self.series.name, size, self.point)
        return [row for row in rows if self.column in row.counts]

    def counts(self, size: int) -> tuple[int, ...]:
        return tuple(row.counts[self.column] for row in self.rows(size))

    def keys(self, sizes: Iterable[int]) -> tuple[str, ...]:
        records = dict.fromkeys(row.record for size in sizes for row in self.rows(size))
        return tuple(self.evidence.full_keys.get(record, record) for record in records)

    @property
    def share(self) -> float:
        """The part of the measured time that one message takes: half of a round trip, or the whole."""
        return 0.5 if self.kind == "latency" and not is_whole(self.series) else 1.0

    def values(self, size: int) -> list[float]:
        """The default measure in each repetition: bytes per second, or seconds of a message."""
        factor = 1.0 if self.kind == "throughput" else NANO * self.share
        return [count * factor for count in self.counts(size)]

    @cached_property
    def medians(self) -> dict[int, float]:
        return {size: estimate_median(self.values(size)).value for size in self.sizes}

    def times_ns(self, sizes: Sequence[int]) -> list[tuple[float, ...]]:
        """The time of a message against its size: a row over the sizes from each repetition."""
        rates, share = self.kind == "throughput", self.share
        return [
            tuple(size / count / NANO if rates else count * share for size, count in zip(sizes, row, strict=True))
            for row in zip(*map(self.counts, sizes), strict=True)
        ]

    @property
    def samples(self) -> dict[str, tuple[Sample, ...]]:
        return self.evidence.samples(self.series.name, self.point)

    def times_of(self, kind: str, size: int) -> list[list[int]]:
        """The times of single calls or round trips in each repetition, in their order, in ns."""
        return [
            [sample.time_ns for sample in samples if (sample.sample, sample.size_bytes) == (kind, size)]
            for samples in self.samples.values()
        ]

    def round_trips(self, size: int) -> list[list[int]]:
        """The round trips of each repetition; empty for a reference tool that prints only a summary."""
        trips = self.times_of("round_trip", size)
        return trips if all(trips) else []

    @property
    def limits(self) -> RoundLimits:
        """The rule that ends the rounds, if the series has any."""
        return self.series.parameters(self.site, self.point).round_limits

    @cached_property
    def rounds(self) -> dict[int, "Rounds"]:
        """The rounds of each size by the table, and single ones by the records' samples; raise if those of a record do
        not end by the stop rule."""
        curve = self.series.name, self.point
        planned = (each for each in self.evidence.plan.planned if (each.series.name, each.point) == curve)
        messages = {count.size: count.iterations for each in planned for count in each.trial.request.counts}
        rounds = {}
        for size in self.sizes if self.limits.target and messages else ():
            rows = self.rows(size)
            whole, completed = (  # of a round, averaged over the last ones
                tuple(row.counts[column] * messages[size] / row.counts["messages"] for row in rows)
                for column in ("confirmed_ns", "completed_ns")
            )
            single = [self._single_rounds(key, samples, size) for key, samples in self.samples.items()]
            trips = [trip for _, trip in single] or [float(row.counts["round_trip_ns"]) for row in rows]
            rounds[size] = Rounds(
                self.series.operation,
                messages[size] * size,
                tuple(row.counts["rounds"] for row in rows),
                sum(row.stable == "yes" for row in rows),
                whole,
                completed,
                tuple(trips),
                tuple(rates for rates, _ in single),
            )
        return rounds

    def _single_rounds(self, key: str, samples: Iterable[Sample], size: int) -> tuple[tuple[float, ...], float]:
        """The rate of every round in one record, and its median round trip, which the table rounds; raise if the rounds
        do not end by the stop rule."""
        kinds = defaultdict[str, list[Sample]](list)
        for sample in samples:
            if sample.size_bytes == size:
                kinds[sample.sample].append(sample)
        rounds = sorted(kinds["round"], key=lambda sample: sample.index)
        rates, limits = tuple(sample.bytes / sample.time_ns for sample in rounds), self.limits
        stop = until_stable(rates, limits.target, limits.window, limits.cap)
        if stop != (len(rounds), bool(kinds["settled"])):
            raise RecordError(f"the rounds of {in_words(size)} do not end by the stop rule", where=key)
        return rates, estimate_median([sample.time_ns for sample in kinds["control_trip"]]).value

    @cached_property
    def jumps(self) -> dict[int, float]:
        """The sizes at which the default measure jumps, each with the factor: up for a throughput, and for a time."""
        return (find_jumps if self.kind == "throughput" else find_steps)(self.medians)

    @property
    def saturated_from(self) -> int | None:
        """The smallest size, but not the last, from which every median is within a tenth."""
        for size in self.sizes[:-1]:
            rest = [self.medians[larger] / self.medians[size] for larger in self.sizes if larger >= size]
            if max(rest) <= LEVEL_CURVE and min(rest) >= 1 / LEVEL_CURVE:
                return size
        return None


def curve_of(
    evidence: Evidence, series: Series, point: Point | None = None, end: str = "", column: str = ""
) -> MeasuredCurve:
    """The curve of a series at a point, of rates by another column if one is given."""
    if series.measure != "throughput":
        column = f"{end}_mean_ns" if series.measure == ONE_WAY else ROUND_TRIP
    return MeasuredCurve(evidence, series, column or _rates_of(evidence, series, point or {}), point or {}, end)


def _rates_of(evidence: Evidence, series: Series, point: Point) -> str:
    """A throughput by its receiver's time if the program measures it. A READ's receiver is the client: all data have
    arrived at its last completion. A card's rate is the steady one, which does not depend on the length of a run."""
    stops = (COMPLETED, CONFIRMED) if is_fetch(series) else (CONFIRMED, COMPLETED)
    first, second, steady = (MeasuredCurve(evidence, series, column, point) for column in (*stops, STEADY))
    whole = first if first.counts(first.sizes[0]) else second
    if series.has_card and all(len(steady.counts(size)) == len(whole.counts(size)) > 0 for size in whole.sizes):
        return STEADY
    return whole.column


@dataclass(frozen=True)
class Rounds:
    """One size of a curve: the result of each repetition."""

    operation: str
    bytes: int  # of a round
    counts: tuple[int, ...]  # rounds
    reached: int  # repetitions whose rounds agreed
    times_ns: tuple[float, ...]  # of a round, the mean of the last rounds, which the stop rule compared
    completed_ns: tuple[float, ...]  # the same up to the last completion
    trips_ns: tuple[float, ...]  # the median round trip of the control message
    rates: tuple[tuple[float, ...], ...] = ()  # of every round, in bytes per ns; none of the reference's

    @property
    def spreads(self) -> list[float]:
        return [max(rates) / min(rates) for rates in self.rates]

    @property
    def plain_rates(self) -> list[float]:
        """The throughput of each repetition in bytes per second."""
        return [self.bytes / NANO / time for time in self.times_ns]

    def correction(self) -> Correction:
        """The throughput without the way back of the receiver's answer. The receiver of a WRITE or READ does not see
        the data and gets a message after the last completion."""
        amount = self.bytes / NANO
        if self.operation not in ONE_SIDED:
            return corrected(amount, self.times_ns, self.trips_ns)
        trips = [0.0] * len(self.trips_ns) if self.operation == "read" else self.trips_ns
        return corrected(amount, self.times_ns, trips, self.completed_ns)
