"""The measures: what can be asked of a series, each with its unit and the function that computes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lab.analysis.estimate import LEVEL, Estimate, Interval, estimate_median, reciprocal, supported_quantile
from lab.analysis.knees import LEAST_X, find_jumps, find_knee, find_steps
from lab.analysis.ratios import exp2, log2
from lab.causes.table import WAITING
from lab.experiment.experiment import Series
from lab.model.parameters import RoundLimits
from lab.programs.program import ENDS, ONE_WAY
from lab.records.table import SIDES
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import CONFIRMED, STEADY
from lab.report.query.grammar import Span
from lab.report.query.value import BYTES, PER_SECOND, PURE, RATE, TIME, Dimension, Value, exact, median_of
from lab.report.tex.numbers import NANO
from lab.report.topics.causes import causes_of
from lab.report.topics.throughput import Rounds, Settling, ceiling, rounds_of, settlings
from lab.report.topics.times import (
    Times,
    calls,
    deviation,
    is_fetch,
    message_share,
    message_times,
    scaled,
    series_of_sides,
    trip_times,
    trips,
)

LEAST_FOR_LINE = 5  # sizes: fewer lie on a line by chance
LEVEL_CURVE = 1.1  # a saturated curve stays within a tenth of where it began to be


@dataclass(frozen=True)
class MeasuredCurve:
    """A series at one point of its varied parameters; of a series whose ends time their own calls, one end."""

    subject: Subject
    end: str = ""

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.subject.sizes

    @property
    def kind(self) -> str:
        """What its program measures: `throughput`, `latency` or `one-way`."""
        return self.subject.series.measure

    def values(self, size: int) -> list[float]:
        """The default measure in each repetition: bytes per second, or seconds of a message."""
        factor = {"throughput": 1.0, "latency": NANO * message_share(self.subject.series)}.get(self.kind, NANO)
        return [value * factor for value in self.subject.values(size)]

    @cached_property
    def times(self) -> Times:
        """The time of a message against its size, in ns."""
        if self.kind == "throughput":
            return message_times(self.subject)
        if self.kind == "latency":
            return trip_times(self.subject)
        return Times(tuple(map(float, self.sizes)), self.subject.rows())

    @cached_property
    def rounds(self) -> dict[int, Rounds]:
        return {part.size: part for part in rounds_of(self.subject)} if self.limits.target else {}

    @property
    def limits(self) -> RoundLimits:
        """The rule that ends its rounds, if it has any."""
        return self.subject.series.parameters(self.subject.site, self.subject.point).round_limits

    @cached_property
    def settlings(self) -> dict[int, Settling]:
        return {part.size: part for part in settlings(self.subject)} if self.kind == "throughput" else {}


@dataclass(frozen=True)
class Inquiry:
    """What a measure is computed for: a curve, its sizes, and the randomness of the draws."""

    curve: MeasuredCurve
    span: Span
    random: np.random.Generator | None
    rest: str = ""  # what the query names behind the measure: `client.copies`

    @property
    def size(self) -> int:
        assert self.span.size is not None
        return self.span.size

    @property
    def values(self) -> list[float]:
        """The default measure in each repetition."""
        return self.curve.values(self.size)

    @property
    def calls(self) -> list[list[int]]:
        return calls(self.curve.subject, self.curve.end, self.size)

    def column(self, name: str) -> tuple[int, ...]:
        return replace(self.curve.subject, column=name).values(self.size)


Compute = Callable[[Inquiry], Value | None]


@dataclass(frozen=True)
class Measure:
    """One measure: at a size, over a span of sizes, or of the whole curve; for the kinds of series that have it."""

    about: str
    takes: str  # `size`, `span` or nothing
    kinds: tuple[str, ...]
    compute: Compute


def _median(samples: Callable[[Inquiry], Iterable[float]], dimension: Dimension) -> Compute:
    """The median of samples, one from each repetition; nothing without samples."""

    def compute(at: Inquiry) -> Value | None:
        values = list(samples(at))
        return median_of(values, dimension, at.random) if values else None

    return compute


def _median_ns(samples: Callable[[Inquiry], Iterable[float]]) -> Compute:
    """The same of times in ns."""
    return _median(lambda at: [time * NANO for time in samples(at)], TIME)


def _of_rounds(samples: Callable[[Rounds], Iterable[float]], dimension: Dimension) -> Compute:
    """The median of samples of the rounds at a size; nothing without rounds."""

    def compute(at: Inquiry) -> Value | None:
        rounds = at.curve.rounds.get(at.size)
        return median_of(samples(rounds), dimension, at.random) if rounds else None

    return compute


def _rate(column: str) -> Compute:
    return _median(lambda at: at.column(column), RATE)


def _fixed(at: Inquiry) -> Iterable[float]:
    """What a run takes beside its messages at the steady rate: to begin, and to be confirmed."""
    runs = zip(at.column("confirmed_ns"), at.column("messages"), at.column(STEADY), strict=False)
    return [time * NANO - count * at.size / rate for time, count, rate in runs]


def _quantile(quantile: float) -> Compute:
    """A quantile of the round trips that every repetition has enough samples for."""

    def samples(at: Inquiry) -> Iterable[float]:
        repetitions = next((part.by_repetition for part in trips(at.curve.subject) if part.size == at.size), ())
        quantiles = [supported_quantile(repetition, quantile) for repetition in repetitions]
        share = message_share(at.curve.subject.series)
        return [part.value * NANO * share for part in quantiles if part] if all(quantiles) else []

    return _median(samples, TIME)


def _filled(at: Inquiry) -> Iterable[float]:
    limit = ceiling(at.curve.subject.series, at.curve.sizes)
    return [value / limit.y[at.curve.sizes.index(at.size)] for value in at.values] if limit else []


def _first_window(at: Inquiry) -> Value | None:
    settling = at.curve.settlings.get(at.size)
    return Value(settling.warm_up()) if settling else None


def _corrected(at: Inquiry) -> Value | None:
    rounds = at.curve.rounds.get(at.size)
    rate = rounds.correction().rate if rounds else None
    return Value(rate, RATE) if rate else None


def _taken_off(at: Inquiry) -> Value | None:
    rounds = at.curve.rounds.get(at.size)
    return Value(rounds.correction().share, PURE, "percent") if rounds else None


def _agreed(at: Inquiry) -> Value | None:
    rounds = at.curve.rounds.values()
    return exact(sum(part.reached == len(part.counts) for part in rounds)) if rounds else None


def _cpu(at: Inquiry) -> Iterable[float]:
    """The scheduler's CPU time of a message at one end, in ns."""
    if at.rest not in ENDS:
        return []
    counts, times = at.column("processor_messages"), at.column(f"{at.rest}_processor_ns")
    return [time * NANO / count for time, count in zip(times, counts, strict=True) if count]


def _parts(at: Inquiry) -> dict[str, float]:
    """Instructions of a message at one end by kind of work, waiting with them."""
    place = (at.curve.subject.series.name, at.size, at.rest.split(".")[0])
    rows = causes_of(at.curve.subject.evidence)
    return {row.work: row.per_message for row in rows if (row.series, row.size_bytes, row.end) == place}


def _instructions(at: Inquiry) -> Value | None:
    """All that an end executes for a message, or those of one kind of work, as in `instructions.client.driver`."""
    parts, kind = _parts(at), at.rest.partition(".")[2]
    named = {_slug(work): value for work, value in parts.items() if work != WAITING}
    if not parts or (kind and kind not in named):
        return None
    return exact(float(round(named[kind] if kind else sum(named.values()))), source="lab profile")


def _slug(kind: str) -> str:
    """A kind of work as a query names it: `system_calls`, `driver`."""
    return kind.removeprefix("card's ").replace(" ", "_").replace("-", "_")


def _busy(at: Inquiry) -> Value | None:
    parts = _parts(at)
    whole = sum(parts.values())
    busy = 1 - parts.get(WAITING, 0.0) / whole if whole else 0.0
    return exact(round(max(busy, 0.0), 2), PURE, "percent", "lab profile") if parts else None


def _iterations(at: Inquiry) -> Value | None:
    counts = at.column("messages")
    return exact(float(counts[0])) if counts else None


def _medians(curve: MeasuredCurve) -> dict[int, float]:
    return {size: estimate_median(curve.values(size)).value for size in curve.sizes}


def _peak(at: Inquiry) -> Iterable[float]:
    medians = _medians(at.curve)
    return at.curve.values(max(medians, key=medians.__getitem__))


def _peak_size(at: Inquiry) -> Value | None:
    """Of sizes that the margin does not tell apart the smallest: the largest of noisy medians is no finding."""
    medians = _medians(at.curve)
    least = max(medians.values()) * (1 - at.curve.subject.margin)
    return _size(min(size for size, median in medians.items() if median >= least))


def _size(size: int | None) -> Value | None:
    return exact(size, BYTES, "size") if size else None


def saturated_from(curve: MeasuredCurve) -> int | None:
    """The smallest size, but not the last, from which no median is further away than a tenth."""
    medians = _medians(curve)
    for size in curve.sizes[:-1]:
        rest = [medians[other] / medians[size] for other in curve.sizes if other >= size]
        if max(rest) <= LEVEL_CURVE and min(rest) >= 1 / LEVEL_CURVE:
            return size
    return None


def jumps(curve: MeasuredCurve) -> dict[int, float]:
    """The sizes at which the default measure jumps, each with the factor: up for a throughput, and for a time."""
    return (find_jumps if curve.kind == "throughput" else find_steps)(_medians(curve))


def _jump(at: Inquiry) -> Value | None:
    found = jumps(at.curve)
    return replace(exact(max(found.values())), is_rounded=True) if found else None


def _jump_size(at: Inquiry) -> Value | None:
    found = jumps(at.curve)
    return _size(max(found, key=found.__getitem__)) if found else None


def _knee(at: Inquiry) -> Value | None:
    """By segmented regression: a throughput on logarithmic axes, calls at the level that serves all their curves."""
    curve = at.curve
    if len(curve.sizes) < LEAST_X or jumps(curve):
        return None
    points = [(size, value) for size in curve.sizes for value in curve.values(size)]
    sizes, values = [float(size) for size, _ in points], [value for _, value in points]
    if curve.kind == "throughput":
        knee = find_knee(log2(sizes), log2(values))
        return Value(_power(knee.at), BYTES) if knee else None
    curves = sum(len(series.points()) * len(SIDES) for series in series_of_sides(curve.subject.evidence))
    knee = find_knee(sizes, values, level=1 - (1 - LEVEL) / max(curves, 1))
    return Value(knee.at, BYTES) if knee else None


def _power(at: Estimate) -> Estimate:
    """A place on a logarithmic axis as a size."""
    ends = at.interval and Interval(exp2(at.interval.low), exp2(at.interval.high), at.interval.level)
    return Estimate(exp2(at.value), ends, at.n)


def _of_times(compute: Callable[[Times], Value | None]) -> Compute:
    """A number of the times at the sizes that a query names, where they are enough for a line."""

    def answer(at: Inquiry) -> Value | None:
        sizes = at.span.picks(at.curve.sizes)
        return compute(at.curve.times.between(sizes[0], sizes[-1])) if len(sizes) >= LEAST_FOR_LINE else None

    return answer


def _slope(times: Times) -> Value | None:
    slope = times.line().slope
    return Value(scaled(reciprocal(slope), 1 / NANO), RATE) if slope.value > 0 else None


def _break(times: Times) -> Value | None:
    pieces = times.pieces()
    return Value(pieces.at, BYTES) if pieces else None


def _link(at: Inquiry) -> Value | None:
    rate = at.curve.subject.series.link.rate_bit_s
    return exact(rate / 8, RATE, "bit/s") if rate else None


ALL = ("throughput", "latency", ONE_WAY)
CURVES, TRIPS, CALLS = ("throughput",), ("latency",), (ONE_WAY,)


MEASURES = {
    "throughput": Measure("bytes per second", "size", CURVES, _median(lambda at: at.values, RATE)),
    "messages": Measure(
        "messages per second", "size", CURVES, _median(lambda at: [rate / at.size for rate in at.values], PER_SECOND)
    ),
    "time": Measure(
        "time of a message: one over the message rate",
        "size",
        CURVES,
        _median(lambda at: [at.size / rate for rate in at.values], TIME),
    ),
    "filled": Measure("share of what headers leave of the link's rate", "size", CURVES, _median(_filled, PURE)),
    "steady": Measure("rate without the start and the end of a run", "size", CURVES, _rate(STEADY)),
    "whole": Measure("rate of a whole run, to the receiver's confirmation", "size", CURVES, _rate(CONFIRMED)),
    "whole.time": Measure(
        "time of a whole run, divided by its messages",
        "size",
        CURVES,
        _median(lambda at: [at.size / rate for rate in at.column(CONFIRMED)], TIME),
    ),
    "fixed": Measure("time of a run beside its messages at the steady rate", "size", CURVES, _median(_fixed, TIME)),
    "first": Measure("time of the first window over a steady one", "size", CURVES, _first_window),
    "plain": Measure(
        "throughput of rounds, nothing taken off",
        "size",
        CURVES,
        _of_rounds(lambda rounds: [rounds.bytes / NANO / time for time in rounds.times_ns], RATE),
    ),
    "corrected": Measure("throughput of rounds less the answer's way", "size", CURVES, _corrected),
    "taken_off": Measure("share of a round that the correction takes off", "size", CURVES, _taken_off),
    "trip": Measure(
        "round trip of the control message",
        "size",
        CURVES,
        _of_rounds(lambda rounds: [trip * NANO for trip in rounds.trips_ns], TIME),
    ),
    "round": Measure(
        "time of a round, its answer included",
        "size",
        CURVES,
        _of_rounds(lambda rounds: [time * NANO for time in rounds.times_ns], TIME),
    ),
    "rounds": Measure(
        "rounds until they agreed or the cap", "size", CURVES, _of_rounds(lambda rounds: rounds.counts, PURE)
    ),
    "spread": Measure(
        "highest rate of a round over the lowest", "size", CURVES, _of_rounds(lambda rounds: rounds.spreads, PURE)
    ),
    "agreed": Measure("sizes at which all repetitions' rounds agreed", "", CURVES, _agreed),
    "peak": Measure("highest median", "", CURVES, _median(_peak, RATE)),
    "peak.size": Measure("smallest size within the margin of the highest median", "", CURVES, _peak_size),
    "saturated": Measure(
        "size from which the curve stays within a tenth", "", CURVES, lambda at: _size(saturated_from(at.curve))
    ),
    "half": Measure("half of the median round trip (RTT/2)", "size", TRIPS, _median(lambda at: at.values, TIME)),
    "rtt": Measure("median round trip", "size", TRIPS, _median_ns(lambda at: at.curve.subject.values(at.size))),
    "p95": Measure("95 % quantile of RTT/2, of a READ's whole RTT", "size", TRIPS, _quantile(0.95)),
    "p99": Measure("99 % quantile of the same", "size", TRIPS, _quantile(0.99)),
    "mean": Measure("mean time of an end's call", "size", CALLS, _median(lambda at: at.values, TIME)),
    "median": Measure(
        "median time of an end's call", "size", CALLS, _median_ns(lambda at: at.column(f"{at.curve.end}_median_ns"))
    ),
    "deviation": Measure(
        "standard deviation of an end's calls", "size", CALLS, lambda at: Value(deviation(at.calls), TIME)
    ),
    "first_call": Measure(
        "time of the first timed call of an end",
        "size",
        CALLS,
        _median_ns(lambda at: [first for first, *_ in at.calls]),
    ),
    "knee": Measure("size at which the curve bends", "", ("throughput", ONE_WAY), _knee),
    "jump": Measure("factor at the largest jump between two sizes", "", ALL, _jump),
    "jump.size": Measure("size of that jump", "", ALL, _jump_size),
    "slope": Measure("one over the slope of the line of times", "span", ALL, _of_times(_slope)),
    "intercept": Measure(
        "intercept of that line, extrapolated to 0 bytes",
        "span",
        ALL,
        _of_times(lambda times: Value(scaled(times.line().intercept, NANO), TIME)),
    ),
    "residual": Measure(
        "largest residual of that line",
        "span",
        ALL,
        _of_times(lambda times: exact(float(abs(times.line().residuals).max()) * NANO, TIME)),
    ),
    "r2": Measure(
        "R squared of that line", "span", ALL, _of_times(lambda times: exact(round(times.line().r_squared or 0.0, 5)))
    ),
    "break": Measure("size at which two lines fit better", "span", ALL, _of_times(_break)),
    "instructions": Measure("instructions of a message at an end, by kind", "size", ALL, _instructions),
    "busy": Measure("share of the time in which an end's CPU works", "size", ALL, _busy),
    "cpu": Measure("CPU time of a message at an end (scheduler)", "size", ALL, _median(_cpu, TIME)),
    "iterations": Measure("timed messages", "size", ALL, _iterations),
    "n": Measure("repetitions", "size", ALL, lambda at: exact(float(len(at.values)))),
    "link": Measure("rate of the link", "", ALL, _link),
    "mtu": Measure(
        "bytes of IP in a frame", "", ALL, lambda at: exact(at.curve.subject.series.link.mtu, BYTES, "size")
    ),
}
DEFAULTS = {"throughput": "throughput", "latency": "half", ONE_WAY: "mean"}


def measures_of(series: Series) -> dict[str, Measure]:
    """What can be asked of a series: of a READ no half, since its data are there after the whole round trip."""
    known = {name: measure for name, measure in MEASURES.items() if series.measure in measure.kinds}
    return {name: measure for name, measure in known.items() if not (name == "half" and is_fetch(series))}


def default_of(series: Series) -> str:
    """The measure that a series' name alone stands for."""
    return "rtt" if series.measure == "latency" and is_fetch(series) else DEFAULTS[series.measure]


ENDED = ("instructions", "busy", "cpu")  # measures of one end, `client` or `server`
