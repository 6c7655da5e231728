"""The measures: what a query can ask of a series, each with its unit and the function that computes it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import stdev

import numpy as np

from lab.analysis.card import tcp_limit, write_limit
from lab.analysis.estimate import LEVEL, Estimate, estimate_median, reciprocal, supported_quantile
from lab.analysis.knees import LEAST_X, find_knee
from lab.analysis.lines import Line, find_break, fit_line
from lab.analysis.ratios import exp2, log2
from lab.analysis.rounds import LEAST as LEAST_WINDOWS
from lab.analysis.rounds import Correction, warm_up_ratio
from lab.causes.table import WAITING
from lab.experiment.experiment import Series
from lab.programs.program import ENDS, ONE_WAY, WINDOW, Sample
from lab.records.table import SIDES
from lab.report.evidence.curve import MeasuredCurve, is_whole, margin_of
from lab.report.evidence.evidence import CONFIRMED, STEADY
from lab.report.query.grammar import Span
from lab.report.query.value import BYTES, PER_SECOND, PURE, RATE, TIME, Dimension, Value, exact, median_of
from lab.report.tex.numbers import NANO

LEAST_FOR_LINE = 5  # sizes: fewer may form a line by chance
CURVES, TRIPS, CALLS = ("throughput",), ("latency",), (ONE_WAY,)
ALL = (*CURVES, *TRIPS, *CALLS)
Samples = Iterable[float]


@dataclass(frozen=True)
class Inquiry:
    """The input of a measure: a curve, its sizes, and the randomness of the draws."""

    curve: MeasuredCurve
    span: Span
    random: np.random.Generator | None
    rest: str = ""  # the part of the query behind the measure: `client.copies`

    @property
    def size(self) -> int:
        assert self.span.size is not None
        return self.span.size

    @property
    def values(self) -> list[float]:
        return self.curve.values(self.size)

    @property
    def calls(self) -> list[list[int]]:
        return self.curve.times_of(self.curve.end, self.size)

    def of_rounds(self, name: str) -> Samples:
        """A field of the rounds of each repetition; nothing if the series has no rounds."""
        samples: Samples = getattr(self.curve.rounds.get(self.size), name, ())
        return samples

    @property
    def correction(self) -> Correction | None:
        return self.curve.rounds[self.size].correction() if self.size in self.curve.rounds else None

    @property
    def instructions(self) -> dict[str, float]:
        """Instructions of a message at one end by kind of work, waiting included."""
        key = (self.curve.series.name, self.size, self.rest.partition(".")[0])
        rows = self.curve.evidence.causes
        return {row.work: row.per_message for row in rows if (row.series, row.size_bytes, row.end) == key}

    def column(self, name: str) -> tuple[int, ...]:
        return replace(self.curve, column=name).counts(self.size)

    def share(self, name: str) -> Samples:
        return [ppm / 1e6 for ppm in self.column(name)]

    def over(self, rates: Samples) -> Samples:
        """The times of a message at rates."""
        return [self.size / rate for rate in rates]

    @property
    def times(self) -> tuple[tuple[int, ...], list[tuple[float, ...]]] | None:
        """The sizes of the query and the times there; nothing if they are too few for a line."""
        sizes = self.span.picks(self.curve.sizes)
        return (sizes, self.curve.times_ns(sizes)) if len(sizes) >= LEAST_FOR_LINE else None

    @property
    def line(self) -> Line | None:
        return fit_line(*times) if (times := self.times) else None


@dataclass(frozen=True)
class Measure:
    """One measure of some kinds of series: a value, or a sample of each repetition, whose median counts."""

    about: str
    of: Callable[[Inquiry], Samples | Value | None]
    dimension: Dimension = PURE
    factor: float = 1.0  # of the samples
    unit: str = ""
    takes: str = "size"  # or `span`, or nothing for the whole curve
    kinds: tuple[str, ...] = ()

    def compute(self, at: Inquiry) -> Value | None:
        answer = self.of(at)
        if answer is None or isinstance(answer, Value):
            return answer
        values = [value * self.factor for value in answer]
        return replace(median_of(values, self.dimension, at.random), unit=self.unit) if values else None


def _fixed(at: Inquiry) -> Samples:
    """The time of a run, from its start to the confirmation, less that of its messages at the steady rate."""
    runs = zip(at.column("confirmed_ns"), at.column("messages"), at.column(STEADY), strict=False)
    return [time * NANO - count * at.size / rate for time, count, rate in runs]


def _quantile(at: Inquiry, quantile: float) -> Samples:
    """A quantile of the round trips; nothing if any repetition has too few samples for it."""
    quantiles = [supported_quantile(trips, quantile) for trips in at.curve.round_trips(at.size)]
    return [part.value * NANO * at.curve.share for part in quantiles if part] if all(quantiles) else []


def _crossing(at: Inquiry) -> float:
    """The bytes that cross each cable at least, each way, until all computers have the sum of vectors of a size: all
    but one part of the vector, twice (Patarasuk and Yuan, 2009)."""
    computers = at.curve.series.link.computers
    return 2 * (computers - 1) / computers * at.size


def _bound(at: Inquiry) -> Value | None:
    rate = at.curve.series.link.rate_bit_s
    return replace(exact(_crossing(at) / (rate / 8), TIME), is_rounded=True) if rate else None


def _of_switch(at: Inquiry, counter: str, combine: Callable[[Samples], float] = sum) -> Iterator[float]:
    """The sum or the largest of the counters of all queues of the switch; nothing without the records."""
    evidence, keys = at.curve.evidence, at.curve.keys(at.curve.sizes)
    for key in keys if evidence.unmeasured.isdisjoint(keys) else ():
        counts = evidence.facts[key].measured.counters_after
        yield combine(count for name, count in counts.items() if f".{name}".endswith(f".{counter}"))


def _counter(about: str, counter: str) -> Measure:
    return Measure(about, lambda at: _of_switch(at, counter), unit="count", takes="")


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


def _filled(at: Inquiry) -> Samples:
    limit = ceiling(at.curve.series, at.size)
    return [value / limit for value in at.values] if limit else []


def _estimated(estimate: Estimate | None, dimension: Dimension = PURE, unit: str = "") -> Value | None:
    return Value(estimate, dimension, unit) if estimate else None


def _warm_up(at: Inquiry) -> Value | None:
    """The first window's time over the steady time: 1 if warm-up does not matter. None if a repetition has too few
    windows; repetitions may differ in their number."""
    records = at.curve.samples.values()
    windows = [[s for s in samples if (s.sample, s.size_bytes) == (WINDOW, at.size)] for samples in records]
    if not windows or any(len(samples) < LEAST_WINDOWS for samples in windows):
        return None
    shortest = min(map(len, windows))
    return _estimated(warm_up_ratio([[1 / rate for rate in _rates(samples)[:shortest]] for samples in windows]))


def _rates(windows: list[Sample]) -> tuple[float, ...]:
    """The rates between the ends of consecutive windows, which count from the start."""
    ordered = sorted(windows, key=lambda window: window.index)
    ends = [(0, 0), *((window.bytes, window.time_ns) for window in ordered)]
    steps = ((after[0] - before[0], after[1] - before[1]) for before, after in pairwise(ends))
    return tuple(1e9 * count / max(time_ns, 1) for count, time_ns in steps)


def _agreed(at: Inquiry) -> Value | None:
    rounds = at.curve.rounds.values()
    return exact(sum(part.reached == len(part.counts) for part in rounds)) if rounds else None


def _deviation(at: Inquiry) -> Value | None:
    """The median over repetitions of the standard deviation within each."""
    deviations = [stdev(calls) for calls in at.calls]
    return Value(estimate_median(deviations).scaled(NANO), TIME) if deviations else None


def _cpu(at: Inquiry) -> Samples:
    """The scheduler's CPU time of a message at one end, in ns."""
    if at.rest not in ENDS:
        return []
    counts, times = at.column("processor_messages"), at.column(f"{at.rest}_processor_ns")
    return [time * NANO / count for time, count in zip(times, counts, strict=True) if count]


def _instructions(at: Inquiry) -> Value | None:
    """All instructions of an end for a message, or those of one kind of work: `instructions.client.driver`; a
    difference of two runs may be below 0 by chance, as that of `busy`."""
    kind = at.rest.partition(".")[2]
    work = {
        name.removeprefix("card's ").replace(" ", "_").replace("-", "_"): value
        for name, value in at.instructions.items()
        if name != WAITING
    }
    if not at.instructions or (kind and kind not in work):
        return None
    return exact(float(max(round(work[kind] if kind else sum(work.values())), 0)), source="lab profile")


def _busy(at: Inquiry) -> Value | None:
    whole = sum(at.instructions.values())
    busy = 1 - at.instructions.get(WAITING, 0.0) / whole if whole else 0.0
    return exact(round(max(busy, 0.0), 2), PURE, "percent", "lab profile") if at.instructions else None


def _peak(at: Inquiry) -> Samples:
    medians = at.curve.medians
    return at.curve.values(max(medians, key=medians.__getitem__))


def _peak_size(at: Inquiry) -> Value | None:
    """The smallest of the sizes within the margin of the peak, since noise alone orders them."""
    least = max(at.curve.medians.values()) * (1 - margin_of(at.curve.evidence.plan.site.traits))
    return _size(min(size for size, median in at.curve.medians.items() if median >= least))


def _size(size: int | None) -> Value | None:
    return exact(size, BYTES, "size") if size else None


def _jump(at: Inquiry) -> Value | None:
    jumps = at.curve.jumps
    return replace(exact(max(jumps.values())), is_rounded=True) if jumps else None


def _jump_size(at: Inquiry) -> Value | None:
    jumps = at.curve.jumps
    return _size(max(jumps, key=jumps.__getitem__)) if jumps else None


def _knee(at: Inquiry) -> Value | None:
    """By segmented regression: a throughput on logarithmic axes, calls at the level that serves all their curves."""
    curve = at.curve
    if len(curve.sizes) < LEAST_X or curve.jumps:
        return None
    points = [(size, value) for size in curve.sizes for value in curve.values(size)]
    sizes, values = [float(size) for size, _ in points], [value for _, value in points]
    if curve.kind == "throughput":
        knee = find_knee(log2(sizes), log2(values))
        return _estimated(knee and knee.mapped(exp2), BYTES)
    all_series = curve.evidence.plan.experiment.series
    curves = sum(len(series.points()) * len(SIDES) for series in all_series if series.measure == ONE_WAY)
    return _estimated(find_knee(sizes, values, level=1 - (1 - LEVEL) / max(curves, 1)), BYTES)


def _of_line(about: str, compute: Callable[[Line], Value | None]) -> Measure:
    return Measure(about, lambda at: compute(line) if (line := at.line) else None, takes="span")


def _slope(line: Line) -> Value | None:
    return Value(reciprocal(line.slope).scaled(1 / NANO), RATE) if line.slope.value > 0 else None


OF_CURVES = {
    "throughput": Measure("bytes per second", lambda at: at.values, RATE),
    "messages": Measure("messages per second", lambda at: [rate / at.size for rate in at.values], PER_SECOND),
    "time": Measure("time of a message: one over the message rate", lambda at: at.over(at.values), TIME),
    "filled": Measure("share of what headers leave of the link's rate", _filled),
    "steady": Measure("rate without the start and the end of a run", lambda at: at.column(STEADY), RATE),
    "whole": Measure("rate of a whole run, to the receiver's confirmation", lambda at: at.column(CONFIRMED), RATE),
    "whole.time": Measure(
        "time of a whole run, divided by its messages", lambda at: at.over(at.column(CONFIRMED)), TIME
    ),
    "sum": Measure(
        "rates of both directions together, of a series with both", lambda at: at.column("sum_bytes_per_s"), RATE
    ),
    "fairness": Measure(
        "Jain's index of the rates of several queue pairs or connections", lambda at: at.share("fairness_ppm")
    ),
    "lost": Measure("share of the messages that did not arrive, of UC and UD", lambda at: at.share("lost_ppm")),
    "fixed": Measure("time of a run beside its messages at the steady rate", _fixed, TIME),
    "first": Measure("time of the first window over a steady one", _warm_up),
    "plain": Measure("throughput of rounds, nothing taken off", lambda at: at.of_rounds("plain_rates"), RATE),
    "corrected": Measure(
        "throughput of rounds less the answer's way",
        lambda at: _estimated(corrected.rate, RATE) if (corrected := at.correction) else None,
    ),
    "taken_off": Measure(
        "share of a round that the correction takes off",
        lambda at: _estimated(corrected.share, unit="percent") if (corrected := at.correction) else None,
    ),
    "trip": Measure("round trip of the control message", lambda at: at.of_rounds("trips_ns"), TIME, NANO),
    "round": Measure("time of a round, its answer included", lambda at: at.of_rounds("times_ns"), TIME, NANO),
    "rounds": Measure("rounds until they agreed or the cap", lambda at: at.of_rounds("counts")),
    "spread": Measure("highest rate of a round over the lowest", lambda at: at.of_rounds("spreads")),
    "agreed": Measure("sizes at which all repetitions' rounds agreed", _agreed, takes=""),
    "peak": Measure("highest median", _peak, RATE, takes=""),
    "peak.size": Measure("smallest size within the margin of the highest median", _peak_size, takes=""),
    "saturated": Measure(
        "size from which the curve stays within a tenth", lambda at: _size(at.curve.saturated_from), takes=""
    ),
}
OF_TRIPS = {
    "half": Measure("half of the median round trip (RTT/2)", lambda at: at.values, TIME),
    "rtt": Measure("median round trip, or time on several computers", lambda at: at.curve.counts(at.size), TIME, NANO),
    "bus": Measure(
        "bus bandwidth of an all-reduce: least bytes on a cable, each way, over the time",
        lambda at: [_crossing(at) / value for value in at.values],
        RATE,
    ),
    "bound": Measure("time of these bytes at the link's rate", _bound),
    "dropped": _counter("frames that the switch dropped", "link1.dropped"),
    "pauses": _counter("times that a card was told to pause", "queue.pauses"),
    "marks": _counter("packets of cards that the switch marked", "queue.marks"),
    "deepest": Measure(
        "most bytes that waited for a computer", lambda at: _of_switch(at, "queue.most_bytes", max), BYTES, takes=""
    ),
    "p95": Measure("95 % quantile of RTT/2, of a READ's whole RTT", lambda at: _quantile(at, 0.95), TIME),
    "p99": Measure("99 % quantile of the same", lambda at: _quantile(at, 0.99), TIME),
}
OF_CALLS = {
    "mean": Measure("mean time of an end's call", lambda at: at.values, TIME),
    "median": Measure("median time of an end's call", lambda at: at.column(f"{at.curve.end}_median_ns"), TIME, NANO),
    "deviation": Measure("standard deviation of an end's calls", _deviation),
    "first_call": Measure(
        "time of the first timed call of an end", lambda at: [calls[0] for calls in at.calls], TIME, NANO
    ),
    "knee": Measure("size at which the curve bends", _knee, takes="", kinds=(*CURVES, *CALLS)),
}
OF_ALL = {
    "jump": Measure("factor at the largest jump between two sizes", _jump, takes=""),
    "jump.size": Measure("size of that jump", _jump_size, takes=""),
    "slope": _of_line("one over the slope of the line of times", _slope),
    "intercept": _of_line(
        "intercept of that line, extrapolated to 0 bytes", lambda line: Value(line.intercept.scaled(NANO), TIME)
    ),
    "residual": _of_line(
        "largest residual of that line", lambda line: exact(float(abs(line.residuals).max()) * NANO, TIME)
    ),
    "r2": _of_line("R squared of that line", lambda line: exact(round(line.r_squared or 0.0, 5))),
    "break": Measure(
        "size at which two lines fit better",
        lambda at: _estimated(find_break(*times), BYTES) if (times := at.times) else None,
        takes="span",
    ),
    "instructions": Measure("instructions of a message at an end, by kind", _instructions),
    "busy": Measure("share of the time in which an end's CPU works", _busy),
    "cpu": Measure("CPU time of a message at an end (scheduler)", _cpu, TIME),
    "iterations": Measure(
        "timed messages", lambda at: exact(float(counts[0])) if (counts := at.column("messages")) else None
    ),
    "n": Measure("repetitions", lambda at: exact(float(len(at.values)))),
    "link": Measure(
        "rate of the link",
        lambda at: exact(rate / 8, RATE, "bit/s") if (rate := at.curve.series.link.rate_bit_s) else None,
        takes="",
    ),
    "mtu": Measure("bytes of IP in a frame", lambda at: exact(at.curve.series.link.mtu, BYTES, "size"), takes=""),
}
_GROUPS = ((CURVES, OF_CURVES), (TRIPS, OF_TRIPS), (CALLS, OF_CALLS), (ALL, OF_ALL))
MEASURES = {
    name: replace(measure, kinds=measure.kinds or kinds) for kinds, group in _GROUPS for name, measure in group.items()
}
DEFAULTS = {"throughput": "throughput", "latency": "half", ONE_WAY: "mean"}
OF_SEVERAL = ("bus", "bound", "dropped", "pauses", "marks", "deepest")  # measures of several computers
ENDED = ("instructions", "busy", "cpu")  # measures of one end, `client` or `server`


def measures_of(series: Series) -> dict[str, Measure]:
    """The measures of a series. A READ has no half, since its data have arrived after the whole round trip."""
    lacks = ("half",) * is_whole(series) + OF_SEVERAL * (not series.tool.together)
    return {name: each for name, each in MEASURES.items() if series.measure in each.kinds and name not in lacks}


def default_of(series: Series) -> str:
    """The measure that a series' name alone stands for."""
    return "rtt" if series.measure == "latency" and is_whole(series) else DEFAULTS[series.measure]
