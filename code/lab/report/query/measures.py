"""The measures: what can be asked of a series, each with its unit and the function that computes it."""

from __future__ import annotations

from collections.abc import Callable
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
from lab.report.topics.causes import causes_of
from lab.report.topics.curves import Settling, ceiling, settlings
from lab.report.topics.latency import is_fetch, message_share, trip_times, trips
from lab.report.topics.lines import Times, message_times, scaled
from lab.report.topics.rounds import Rounds, rounds_of
from lab.report.topics.sides import SideCurve, series_of_sides

NANO = 1e-9
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

    def column(self, name: str) -> Subject:
        return replace(self.subject, column=name)

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
        return Times(self.subject, "call", tuple(map(float, self.sizes)), self.subject.rows())

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

    def median(self, samples: list[float], dimension: Dimension) -> Value | None:
        return median_of(samples, dimension, self.random) if samples else None

    def column(self, name: str) -> tuple[int, ...]:
        return self.curve.column(name).values(self.size)


Answer = Callable[[Inquiry], Value | None]


@dataclass(frozen=True)
class Measure:
    """One measure: at a size, over a span of sizes, or of the whole curve; for the kinds of series that have it."""

    about: str
    takes: str  # `size`, `span` or nothing
    kinds: tuple[str, ...]
    answer: Answer


def _default(asked: Inquiry) -> Value | None:
    dimension = RATE if asked.curve.kind == "throughput" else TIME
    return asked.median(asked.curve.values(asked.size), dimension)


def _messages(asked: Inquiry) -> Value | None:
    return asked.median([value / asked.size for value in asked.curve.values(asked.size)], PER_SECOND)


def _time(asked: Inquiry) -> Value | None:
    return asked.median([asked.size / value for value in asked.curve.values(asked.size)], TIME)


def _round_trip(asked: Inquiry) -> Value | None:
    return asked.median([trip * NANO for trip in asked.curve.subject.values(asked.size)], TIME)


def _quantile(quantile: float) -> Answer:
    def answer(asked: Inquiry) -> Value | None:
        repetitions = next((part.by_repetition for part in trips(asked.curve.subject) if part.size == asked.size), ())
        parts = [supported_quantile(repetition, quantile) for repetition in repetitions]
        share = message_share(asked.curve.subject.series)
        values = [part.value * NANO * share for part in parts if part]
        return asked.median(values, TIME) if len(values) == len(parts) else None

    return answer


def _filled(asked: Inquiry) -> Value | None:
    limit = ceiling(asked.curve.subject.series, asked.curve.sizes)
    if limit is None:
        return None
    most = limit.y[asked.curve.sizes.index(asked.size)]
    return asked.median([value / most for value in asked.curve.values(asked.size)], PURE)


def _side(column: str) -> Answer:
    def answer(asked: Inquiry) -> Value | None:
        return asked.median([value * NANO for value in asked.column(f"{asked.curve.end}_{column}_ns")], TIME)

    return answer


def _calls(inquiry: Inquiry) -> SideCurve:
    return SideCurve(inquiry.curve.subject, inquiry.curve.end)


def _deviation(inquiry: Inquiry) -> Value | None:
    return Value(_calls(inquiry).deviation(inquiry.size).estimate, TIME)


def _first_call(inquiry: Inquiry) -> Value | None:
    return inquiry.median([first * NANO for first, *_ in _calls(inquiry).calls(inquiry.size)], TIME)


def _first_window(asked: Inquiry) -> Value | None:
    part = asked.curve.settlings.get(asked.size)
    return Value(part.warm_up()) if part else None


def _rate_by(column: str) -> Answer:
    def answer(asked: Inquiry) -> Value | None:
        return asked.median([float(rate) for rate in asked.column(column)], RATE)

    return answer


def _whole_time(asked: Inquiry) -> Value | None:
    return asked.median([asked.size / rate for rate in asked.column(CONFIRMED)], TIME)


def _fixed(asked: Inquiry) -> Value | None:
    """What a run takes beside its messages at the steady rate: to begin, and to be confirmed."""
    runs = zip(asked.column("confirmed_ns"), asked.column("messages"), asked.column(STEADY), strict=False)
    return asked.median([time * NANO - count * asked.size / rate for time, count, rate in runs], TIME)


def _plain(asked: Inquiry) -> Value | None:
    part = asked.curve.rounds.get(asked.size)
    return asked.median([part.bytes / NANO / time for time in part.times_ns], RATE) if part else None


def _corrected(asked: Inquiry) -> Value | None:
    part = asked.curve.rounds.get(asked.size)
    rate = part.correction().rate if part else None
    return Value(rate, RATE) if rate else None


def _taken_off(asked: Inquiry) -> Value | None:
    part = asked.curve.rounds.get(asked.size)
    return Value(part.correction().share, PURE, "percent") if part else None


def _trip(asked: Inquiry) -> Value | None:
    part = asked.curve.rounds.get(asked.size)
    return asked.median([trip * NANO for trip in part.trips_ns], TIME) if part else None


def _round(asked: Inquiry) -> Value | None:
    part = asked.curve.rounds.get(asked.size)
    return asked.median([time * NANO for time in part.times_ns], TIME) if part else None


def _rounds(asked: Inquiry) -> Value | None:
    part = asked.curve.rounds.get(asked.size)
    return asked.median(list(map(float, part.counts)), PURE) if part else None


def _spread(asked: Inquiry) -> Value | None:
    part = asked.curve.rounds.get(asked.size)
    return asked.median(part.spreads, PURE) if part else None


def _agreed(asked: Inquiry) -> Value | None:
    parts = asked.curve.rounds.values()
    return exact(sum(part.reached == len(part.counts) for part in parts)) if parts else None


def _cpu(asked: Inquiry) -> Value | None:
    """The scheduler's CPU time of a message at one end."""
    if asked.rest not in ENDS:
        return None
    counts, times = asked.column("processor_messages"), asked.column(f"{asked.rest}_processor_ns")
    return asked.median([time * NANO / count for time, count in zip(times, counts, strict=True) if count], TIME)


def _parts(asked: Inquiry) -> dict[str, float]:
    """Instructions of a message at one end by kind of work, waiting with them."""
    place = (asked.curve.subject.series.name, asked.size, asked.rest.split(".")[0])
    rows = causes_of(asked.curve.subject.evidence)
    return {row.work: row.per_message for row in rows if (row.series, row.size_bytes, row.end) == place}


def _instructions(asked: Inquiry) -> Value | None:
    """All that an end executes for a message, or those of one kind of work."""
    parts, kind = _parts(asked), asked.rest.partition(".")[2]
    named = {slug(work): value for work, value in parts.items() if work != WAITING}
    if not parts or (kind and kind not in named):
        return None
    return exact(float(round(named[kind] if kind else sum(named.values()))), source="lab causes")


def _busy(asked: Inquiry) -> Value | None:
    parts = _parts(asked)
    whole = sum(parts.values())
    busy = 1 - parts.get(WAITING, 0.0) / whole if whole else 0.0
    return exact(round(max(busy, 0.0), 2), PURE, "percent", "lab causes") if parts else None


def slug(kind: str) -> str:
    """A kind of work as a query names it: `system_calls`, `driver`."""
    return kind.removeprefix("card's ").replace(" ", "_").replace("-", "_")


def _iterations(asked: Inquiry) -> Value | None:
    counts = asked.column("messages")
    return exact(float(counts[0])) if counts else None


def _repetitions(asked: Inquiry) -> Value | None:
    return exact(float(len(asked.curve.values(asked.size))))


def _medians(curve: MeasuredCurve) -> dict[int, float]:
    return {size: estimate_median(curve.values(size)).value for size in curve.sizes}


def _peak(asked: Inquiry) -> Value | None:
    medians = _medians(asked.curve)
    return asked.median(asked.curve.values(max(medians, key=medians.__getitem__)), RATE)


def _peak_size(asked: Inquiry) -> Value | None:
    """Of sizes that the margin does not tell apart the smallest: the largest of noisy medians is no finding."""
    medians = _medians(asked.curve)
    least = max(medians.values()) * (1 - asked.curve.subject.margin)
    return exact(min(size for size, median in medians.items() if median >= least), BYTES, "size")


def saturated_from(curve: MeasuredCurve) -> int | None:
    """The smallest size, but not the last, from which no median is further away than a tenth."""
    medians = _medians(curve)
    for size in curve.sizes[:-1]:
        rest = [medians[other] / medians[size] for other in curve.sizes if other >= size]
        if max(rest) <= LEVEL_CURVE and min(rest) >= 1 / LEVEL_CURVE:
            return size
    return None


def _saturated(asked: Inquiry) -> Value | None:
    size = saturated_from(asked.curve)
    return exact(size, BYTES, "size") if size else None


def jumps(curve: MeasuredCurve) -> dict[int, float]:
    """The sizes at which the default measure jumps, each with the factor: up for a throughput, and for a time."""
    return (find_jumps if curve.kind == "throughput" else find_steps)(_medians(curve))


def _jump(asked: Inquiry) -> Value | None:
    found = jumps(asked.curve)
    return replace(exact(max(found.values())), is_rounded=True) if found else None


def _jump_size(asked: Inquiry) -> Value | None:
    found = jumps(asked.curve)
    return exact(max(found, key=found.__getitem__), BYTES, "size") if found else None


def _knee(asked: Inquiry) -> Value | None:
    """By segmented regression: a throughput on logarithmic axes, calls at the level that serves all their curves."""
    curve = asked.curve
    if len(curve.sizes) < LEAST_X or jumps(curve):
        return None
    points = [(size, value) for size in curve.sizes for value in curve.values(size)]
    sizes, values = [float(size) for size, _ in points], [value for _, value in points]
    if curve.kind == "throughput":
        knee = find_knee(log2(sizes), log2(values))
        return Value(_power(knee.at), BYTES) if knee else None
    calls = sum(len(series.points()) * len(SIDES) for series in series_of_sides(curve.subject.evidence))
    knee = find_knee(sizes, values, level=1 - (1 - LEVEL) / max(calls, 1))
    return Value(knee.at, BYTES) if knee else None


def _power(at: Estimate) -> Estimate:
    """A place on a logarithmic axis as a size."""
    ends = at.interval and Interval(exp2(at.interval.low), exp2(at.interval.high), at.interval.level)
    return Estimate(exp2(at.value), ends, at.n)


def _line(asked: Inquiry) -> Times | None:
    """The times of the sizes that the query names, where they are enough for a line."""
    picked = asked.span.picks(asked.curve.sizes)
    if len(picked) < LEAST_FOR_LINE:
        return None
    return asked.curve.times.between(picked[0], picked[-1])


def _slope(asked: Inquiry) -> Value | None:
    times = _line(asked)
    if times is None or times.line().slope.value <= 0:
        return None
    return Value(scaled(reciprocal(times.line().slope), 1 / NANO), RATE)


def _intercept(asked: Inquiry) -> Value | None:
    times = _line(asked)
    return Value(scaled(times.line().intercept, NANO), TIME) if times else None


def _residual(asked: Inquiry) -> Value | None:
    times = _line(asked)
    return exact(float(abs(times.line().residuals).max()) * NANO, TIME) if times else None


def _r_squared(asked: Inquiry) -> Value | None:
    times = _line(asked)
    return exact(round(times.line().r_squared or 0.0, 5)) if times else None


def _break(asked: Inquiry) -> Value | None:
    times = _line(asked)
    pieces = times.pieces() if times else None
    return Value(pieces.at, BYTES) if pieces else None


def _link(asked: Inquiry) -> Value | None:
    rate = asked.curve.subject.series.link.rate_bit_s
    return exact(rate / 8, RATE, "bit/s") if rate else None


def _mtu(asked: Inquiry) -> Value | None:
    return exact(asked.curve.subject.series.link.mtu, BYTES, "size")


ALL = ("throughput", "latency", ONE_WAY)
CURVES, TRIPS, CALLS = ("throughput",), ("latency",), (ONE_WAY,)
MEASURES = {
    "throughput": Measure("bytes per second", "size", CURVES, _default),
    "messages": Measure("messages per second", "size", CURVES, _messages),
    "time": Measure("time of a message: one over the message rate", "size", CURVES, _time),
    "filled": Measure("share of what headers leave of the link's rate", "size", CURVES, _filled),
    "steady": Measure("rate without the start and the end of a run", "size", CURVES, _rate_by(STEADY)),
    "whole": Measure("rate of a whole run, to the receiver's confirmation", "size", CURVES, _rate_by(CONFIRMED)),
    "whole.time": Measure("time of a whole run, divided by its messages", "size", CURVES, _whole_time),
    "fixed": Measure("time of a run beside its messages at the steady rate", "size", CURVES, _fixed),
    "first": Measure("time of the first window over a steady one", "size", CURVES, _first_window),
    "plain": Measure("throughput of rounds, nothing taken off", "size", CURVES, _plain),
    "corrected": Measure("throughput of rounds less the answer's way", "size", CURVES, _corrected),
    "taken_off": Measure("share of a round that the correction takes off", "size", CURVES, _taken_off),
    "trip": Measure("round trip of the control message", "size", CURVES, _trip),
    "round": Measure("time of a round, its answer included", "size", CURVES, _round),
    "rounds": Measure("rounds until they agreed or the cap", "size", CURVES, _rounds),
    "spread": Measure("highest rate of a round over the lowest", "size", CURVES, _spread),
    "agreed": Measure("sizes at which all repetitions' rounds agreed", "", CURVES, _agreed),
    "peak": Measure("highest median", "", CURVES, _peak),
    "peak.size": Measure("smallest size within the margin of the highest median", "", CURVES, _peak_size),
    "saturated": Measure("size from which the curve stays within a tenth", "", CURVES, _saturated),
    "half": Measure("half of the median round trip (RTT/2)", "size", TRIPS, _default),
    "rtt": Measure("median round trip", "size", TRIPS, _round_trip),
    "p95": Measure("95 % quantile of RTT/2, of a READ's whole RTT", "size", TRIPS, _quantile(0.95)),
    "p99": Measure("99 % quantile of the same", "size", TRIPS, _quantile(0.99)),
    "mean": Measure("mean time of an end's call", "size", CALLS, _default),
    "median": Measure("median time of an end's call", "size", CALLS, _side("median")),
    "deviation": Measure("standard deviation of an end's calls", "size", CALLS, _deviation),
    "first_call": Measure("time of the first timed call of an end", "size", CALLS, _first_call),
    "knee": Measure("size at which the curve bends", "", ("throughput", ONE_WAY), _knee),
    "jump": Measure("factor at the largest jump between two sizes", "", ALL, _jump),
    "jump.size": Measure("size of that jump", "", ALL, _jump_size),
    "slope": Measure("one over the slope of the line of times", "span", ALL, _slope),
    "intercept": Measure("intercept of that line, extrapolated to 0 bytes", "span", ALL, _intercept),
    "residual": Measure("largest residual of that line", "span", ALL, _residual),
    "r2": Measure("R squared of that line", "span", ALL, _r_squared),
    "break": Measure("size at which two lines fit better", "span", ALL, _break),
    "instructions": Measure("instructions of a message at an end, by kind", "size", ALL, _instructions),
    "busy": Measure("share of the time in which an end's CPU works", "size", ALL, _busy),
    "cpu": Measure("CPU time of a message at an end (scheduler)", "size", ALL, _cpu),
    "iterations": Measure("timed messages", "size", ALL, _iterations),
    "n": Measure("repetitions", "size", ALL, _repetitions),
    "link": Measure("rate of the link", "", ALL, _link),
    "mtu": Measure("bytes of IP in a frame", "", ALL, _mtu),
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
