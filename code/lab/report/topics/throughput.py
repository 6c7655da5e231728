"""Throughput: what the link allows, the windows of a run, and rounds that are repeated until they agree."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from lab.analysis.card import tcp_limit, write_limit
from lab.analysis.estimate import Estimate, estimate_median
from lab.analysis.rounds import LEAST, Correction, until_completed, until_stable, warm_up_ratio, without_way_back
from lab.errors import RecordError
from lab.experiment.experiment import Series
from lab.programs.program import WINDOW, Sample
from lab.records.table import last_rounds_ns
from lab.report.evidence.curve import Subject
from lab.report.tex.numbers import NANO, in_words

ONE_SIDED = ("write", "read")


def ceiling(series: Series, size: int) -> float | None:
    """The most that a series' protocol can carry; None for a link without a rate, or another protocol."""
    bit_s, mtu = series.link.rate_bit_s, series.link.mtu
    if bit_s is None:
        return None
    if series.program in ("tcp", "iperf3"):
        return tcp_limit(bit_s, mtu)
    if series.link.card and series.has_card and series.operation == "write":
        return write_limit(size, bit_s, mtu, series.link.card.header_bytes)
    is_write = series.program in ("verbs", "ib_write_bw") and series.operation == "write"
    return write_limit(size, bit_s, mtu) if is_write else None


def exceeds_link(rate: Estimate, bit_s: int | None) -> bool:
    """Whether a rate, or the end of its interval, is above the rate of the link, which is impossible."""
    most = max(rate.value, rate.interval.high) if rate.interval else rate.value
    return bit_s is not None and most > bit_s / 8


def warm_up(curve: Subject, size: int) -> Estimate | None:
    """The first window's time over the steady time: 1 if warm-up does not matter. None if a repetition has too few
    windows; repetitions may differ in their number."""
    records = curve.evidence.samples(curve.series.name, curve.point).values()
    windows = [[s for s in samples if (s.sample, s.size_bytes) == (WINDOW, size)] for samples in records]
    if not windows or any(len(samples) < LEAST for samples in windows):
        return None
    shortest = min(map(len, windows))
    return warm_up_ratio([[1 / rate for rate in _rates(samples)[:shortest]] for samples in windows])


def _rates(windows: list[Sample]) -> tuple[float, ...]:
    """The rates between the ends of consecutive windows, which count from the start."""
    ordered = sorted(windows, key=lambda window: window.index)
    ends = [(0, 0), *((window.bytes, window.time_ns) for window in ordered)]
    steps = ((after[0] - before[0], after[1] - before[1]) for before, after in pairwise(ends))
    return tuple(1e9 * count / max(time_ns, 1) for count, time_ns in steps)


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
        return [max(rates) / min(rates) for rates in self.rates]

    @property
    def plain_rates(self) -> list[float]:
        """The throughput of each repetition in bytes per second."""
        return [self.bytes / NANO / time for time in self.times_ns]

    def correction(self) -> Correction:
        """The throughput without the way back of the receiver's answer. The receiver of a WRITE or READ does not see
        the data and gets a message after the last completion."""
        amount, operation = self.bytes / NANO, self.curve.series.operation
        if operation not in ONE_SIDED:
            return without_way_back(amount, self.times_ns, self.trips_ns)
        trips = [0.0] * len(self.trips_ns) if operation == "read" else self.trips_ns
        return until_completed(amount, self.times_ns, self.completed_ns, trips)


def rounds_of(curve: Subject) -> Iterator[Rounds]:
    """The rounds of each size; raise if the rounds of a record do not end by the stop rule."""
    records = curve.evidence.samples(curve.series.name, curve.point)
    if not records:
        yield from _rounds_of_table(curve)
        return
    for size in curve.sizes:
        repetitions = [
            _repetition(curve, key, [sample for sample in samples if sample.size_bytes == size])
            for key, samples in records.items()
        ]
        bytes_, counts, settled, times, completed, trips, rates = zip(*repetitions, strict=True)
        yield Rounds(curve, size, bytes_[0], counts, sum(settled), times, completed, trips, rates)


def _repetition(
    curve: Subject, key: str, samples: list[Sample]
) -> tuple[int, int, bool, float, float, float, tuple[float, ...]]:
    """The numbers of one size in one record, as in Rounds; raise if its rounds do not end by the stop rule."""
    kinds = defaultdict[str, list[Sample]](list)
    for sample in samples:
        kinds[sample.sample].append(sample)
    rounds = sorted(kinds["round"], key=lambda sample: sample.index)
    rates, is_settled = tuple(sample.bytes / sample.time_ns for sample in rounds), bool(kinds["settled"])
    limits = curve.series.parameters(curve.site, curve.point).round_limits
    if until_stable(rates, limits.target, limits.window, limits.cap) != (len(rounds), is_settled):
        size = in_words(samples[0].size_bytes)
        raise RecordError(f"the rounds of {size} do not end by the stop rule", where=key)
    (last,) = kinds["settled"] + kinds["unsettled"]
    sums = last.time_ns, last_rounds_ns(kinds["round_completed"], last)
    whole, completed = (together * rounds[0].messages / last.messages for together in sums)
    trip = estimate_median([sample.time_ns for sample in kinds["control_trip"]]).value
    return rounds[0].bytes, len(rounds), is_settled, whole, completed, trip, rates


def _rounds_of_table(curve: Subject) -> Iterator[Rounds]:
    """The rounds of each size by the table of this plan: the sums of the last rounds, and no rate of a single one."""
    name, point, plan = curve.series.name, curve.point, curve.evidence.plan
    counts = {
        count.size: count.iterations
        for planned in plan.planned
        if (planned.series.name, planned.point) == (name, point)
        for count in planned.trial.request.counts
    }
    varied = {key: str(value) for key, value in point.items()}
    for size in curve.sizes if counts else ():
        rows = [row for row in curve.evidence.rows if (row.series, row.point, row.size_bytes) == (name, varied, size)]
        shares = [counts[size] / row.counts["messages"] for row in rows]  # of one round in the last ones
        whole, completed = (
            tuple(row.counts[column] * share for row, share in zip(rows, shares, strict=True))
            for column in ("confirmed_ns", "completed_ns")
        )
        trips = tuple(float(row.counts["round_trip_ns"]) for row in rows)
        rounds, reached = tuple(row.counts["rounds"] for row in rows), sum(row.stable == "yes" for row in rows)
        yield Rounds(curve, size, counts[size] * size, rounds, reached, whole, completed, trips)
