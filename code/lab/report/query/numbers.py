"""Answers to queries about one experiment: names are looked up, measures computed, and arithmetic done on both."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property

import numpy as np

from lab.analysis.rounds import LARGEST_SHARE
from lab.experiment.experiment import Point, Series
from lab.model.sizes import format_size
from lab.model.trial import Card
from lab.programs.program import ENDS, ONE_WAY
from lab.records.table import SIDES
from lab.report.evidence.curve import MeasuredCurve, curve_of, margin_of
from lab.report.evidence.evidence import COMPLETED, Evidence, comparable
from lab.report.evidence.labels import describe_link
from lab.report.query.constants import Published, of_card, of_plan, of_published
from lab.report.query.grammar import Number, Query, QueryError, Reference, Span, parse_query, references
from lab.report.query.measures import ENDED, MEASURES, Inquiry, Measure, default_of, measures_of
from lab.report.query.value import PER_SECOND, PURE, RATE, TIME, Dimension, StatementResult, Value, combine, exact

COUNTED = ("instructions", "busy")
LINK = "link"  # the rate of the link of all series that a text names
SHOWN = {"percent": PURE, "bit/s": RATE}  # the units that a query may ask for
NEARLY = 0.005  # of a typed number: one that was copied with fewer digits
BY_DIMENSION = {  # the measures that yield a typed number
    ("throughput", RATE): ("",), ("throughput", PER_SECOND): (".messages",), ("throughput", TIME): (".time",),
    ("latency", TIME): ("", ".rtt"), (ONE_WAY, TIME): ("", ".receive"),
}  # fmt: skip
LATENCY = "RTT/2 as measured, of a READ the whole RTT; `intercept` is extrapolated, and no latency"
WHOLE = "a READ's data are there after the whole round trip, not after half"
SYNONYMS = {
    "latency": "half",
    "bandwidth": "throughput",
    "rate": "throughput",
    "max": "peak",
    "round_trip": "rtt",
    "p50": "",
}


@dataclass
class Numbers:
    """Every number of an experiment, computed at its first use."""

    evidence: Evidence
    judged: dict[str, StatementResult] = field(default_factory=dict, repr=False)  # by their texts
    _values: dict[str, Value] = field(default_factory=dict, repr=False)
    _quick: dict[str, Value | None] = field(default_factory=dict, repr=False)  # without intervals
    _queries: dict[Dimension, list[str]] = field(default_factory=dict, repr=False)
    _curves: dict[tuple[str, str, str, str], MeasuredCurve] = field(default_factory=dict, repr=False)

    @cached_property
    def series(self) -> dict[str, Series]:
        return {series.name: series for series in self.evidence.plan.experiment.series}

    @cached_property
    def cards(self) -> dict[str, Card]:
        return {series.link.card.name: series.link.card for series in self.series.values() if series.link.card}

    @property
    def margin(self) -> float:
        """The difference that two equal programs may show."""
        return margin_of(self.evidence.plan.site.traits)

    def ask(self, text: str) -> Value:
        """The answer to a query, or an error that points at the character."""
        if text not in self._values:
            query, across, unit = parse_query(text)
            value = Question(self, text, is_across_links=across).value(query).sealed()
            if not value.has_unit or value.dimension != SHOWN.get(unit, value.dimension):
                raise QueryError("no unit for such a number", "", "a rate, a time, a size or a ratio", text)
            self._values[text] = replace(value, unit=unit or value.unit)
        return self._values[text]

    @cached_property
    def named_constants(self) -> dict[str, Value | Published]:
        """The numbers of the plan, of cards and of published reports, by the names that queries use."""
        cards = {f"{name}.{part}": value for name, card in self.cards.items() for part, value in of_card(card).items()}
        return {**of_plan(self.evidence), **cards, **of_published(self.evidence.plan.experiment.name)}

    def constants(self) -> Iterator[Value]:
        """The numbers with a unit that nobody measured here, so that a text may type them."""
        links = [series.link for series in self.series.values()]
        yield from (constant for constant in self.named_constants.values() if isinstance(constant, Value))
        yield from (exact(link.rate_bit_s / 8, RATE) for link in links if link.rate_bit_s)
        yield from (exact(link.delay_ns * 1e-9, TIME) for link in links)
        for series in self.series.values():
            limit = series.parameters(self.evidence.plan.site.name, {}).until_stable
            yield exact(limit / 100, PURE, "percent")
        yield exact(LARGEST_SHARE, PURE, "percent")

    def suggest(self, value: float, dimension: Dimension, most: float = 0.0, sizes: Collection[int] = ()) -> str:
        """The query whose answer is nearest to a typed number, or nothing; at these sizes it may differ by most."""
        if dimension not in self._queries:
            self._queries[dimension] = list(self._askable(dimension))
        queries = self._queries[dimension] if value else []
        there = [text for text in queries if text.endswith(tuple(f" at {format_size(size)}" for size in sizes))]
        furthest = max(most if dimension != PURE else 0.0, NEARLY * value) * (1 + 1e-9)
        near = self.first(there, dimension, lambda answer: abs(answer - value) <= furthest)
        distances = {text: abs((self.quick(text, dimension) or 0.0) / value - 1) for text in queries if not near}
        nearest = min(distances, key=lambda text: (round(distances[text], 3), len(text), distances[text]), default="")
        return near or (nearest if nearest and distances[nearest] < NEARLY else "")

    def first(self, queries: Iterable[str], dimension: Dimension, accepts: Callable[[float], bool]) -> str:
        """The first query whose answer has the dimension and is accepted, or nothing."""
        answers = ((text, self.quick(text, dimension)) for text in queries)
        return next((text for text, answer in answers if answer is not None and accepts(answer)), "")

    def quick(self, text: str, dimension: Dimension) -> float | None:
        """The answer without an interval, if it has this dimension."""
        if text not in self._quick:
            self._quick[text] = None
            with suppress(QueryError):
                self._quick[text] = Question(self, text, random=None).value(parse_query(text)[0])
        value = self._quick[text]
        return value.estimate.value if value and value.dimension == dimension else None

    def _askable(self, dimension: Dimension) -> Iterator[str]:
        """Measures of a dimension at every size, and ratios of two series on one link."""
        site = self.evidence.plan.site.name
        plain = [series for series in self.series.values() if not series.vary]
        for series in self.series.values():
            queries, sizes = dict[str, tuple[int, ...]](), series.sizes(site)
            varied = [", ".join(map(str, point.values())) for point in series.points()]
            names = [f"{series.name}[{point}]" if point else series.name for point in varied]
            for measure in BY_DIMENSION.get((series.measure, dimension), ()):
                queries |= dict.fromkeys((f"{name}{measure}" for name in names), sizes)
            is_base = dimension == PURE and not series.vary
            if is_base and series.link.rate_bit_s and series.measure == "throughput":
                queries[f"{series.name} / {series.name}.link"] = sizes
            for base in plain if is_base else ():
                if base != series and (base.link, base.measure) == (series.link, series.measure):
                    queries[f"{series.name} / {base.name}"] = tuple(size for size in sizes if size in base.sizes(site))
            yield from (f"{query} at {format_size(size)}" for query, common in queries.items() for size in common)

    def curve(self, series: Series, point: Point, end: str = "", column: str = "") -> MeasuredCurve:
        """The curve, made once; a column of rates replaces the default one of the series' program."""
        key = series.name, str(point), end, column
        if key not in self._curves:
            self._curves[key] = curve_of(self.evidence, series, point, end, column)
        return self._curves[key]


@dataclass(frozen=True)
class Named:
    """A reference to a series: its curve, its measure, and the part of the path behind it."""

    curve: MeasuredCurve
    measure: str
    rest: str


@dataclass
class Question:
    """One query or statement while it is answered: the same reference has the same draws throughout."""

    numbers: Numbers
    text: str
    is_across_links: bool = False
    random: np.random.Generator | None = field(default_factory=lambda: np.random.default_rng(1))
    _values: dict[tuple[str, str, Span | None, str], Value] = field(default_factory=dict)

    def fail(self, what: str, column: int, hint: str = "") -> QueryError:
        return QueryError(what, hint=hint, query=self.text, column=column)

    def value(self, query: Query, column: str | None = None) -> Value:
        """The value of a query; `column` is the one at which all throughputs stop."""
        column = self.common_column(query) if column is None else column
        if isinstance(query, Number):
            return exact(query.value, query.dimension)
        if isinstance(query, Reference):
            key = query.path, query.point, query.span, column
            if key not in self._values:
                is_series = self.series_of(query.path)
                self._values[key] = self._of_series(query, column) if is_series else self._constant(query)
            return self._values[key]
        left, right = self.value(query.left, column), self.value(query.right, column)
        if query.sign in "+-" and left.dimension != right.dimension:
            raise self.fail(f"{left.kind} {query.sign} {right.kind}", query.column, "both sides of one kind")
        if query.sign == "/" and right.estimate.value == 0:
            raise self.fail("division by 0", query.column)
        self.require_one_link(left, right, query.column)
        return combine(query.sign, left, right)

    def ratio(self, query: Query, base: Query) -> Value:
        return combine("/", self.value(query), self.value(base)).sealed()

    def require_one_link(self, left: Value, right: Value, column: int) -> None:
        """Raise if two series ran over different links and the query does not end with `across links`."""
        if left.link and right.link and left.link != right.link and not self.is_across_links:
            what = f"two links: {left.series[0]} ran over {left.link}; {right.series[0]} over {right.link}"
            # A series of the same program as the right one on the left one's link.
            series = self.numbers.series
            ours, base = series[left.series[0]], series[right.series[0]]
            alike = [run.name for run in series.values() if (run.link, run.program) == (ours.link, base.program)]
            names = [name for name in alike if name != ours.name]
            across = "or end with `across links` to compare two links on purpose"
            raise self.fail(what, column, f"{left.series[0]} / {names[0]}, {across}" if names else across)

    def common_column(self, *queries: Query) -> str:
        """Programs of one operation stop alike: at the last completion, if any of them has no confirmation."""
        parts = [part for query in queries for part in references(query) if self.series_of(part.path)]
        curves = [self.named(part).curve for part in parts]
        rates = [curve for curve in curves if curve.kind == "throughput" and curve.series.program]
        columns = {rate.column for rate in rates}
        if columns == {COMPLETED} or COMPLETED not in columns or len({rate.series.operation for rate in rates}) > 1:
            return ""
        return COMPLETED if all(replace(rate, column=COMPLETED).counts(rate.sizes[0]) for rate in rates) else ""

    def series_of(self, path: str) -> Series | None:
        """The series with the longest name that the path begins with."""
        return next(iter(self._series_that_begin(path)), None)

    def _series_that_begin(self, path: str) -> list[Series]:
        parts = path.split(".")
        names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        return [self.numbers.series[name] for name in names if name in self.numbers.series]

    def _of_series(self, reference: Reference, column: str) -> Value:
        named = self.named(reference)
        curve = self.numbers.curve(named.curve.series, named.curve.point, named.curve.end, column)
        measure = MEASURES[named.measure]
        span = self._span(reference, curve, measure)
        value = measure.compute(Inquiry(curve, span, self.random, named.rest))
        if value is None:
            if named.measure in COUNTED and span.size not in (counted := self.sizes_of(reference)) and counted:
                raise self._not_at(span.size or 0, counted, reference, "counted")
            what = f"the data give no {named.measure} of {curve.words} ({measure.about})"
            places = ", ".join(map(format_size, curve.jumps)) if named.measure == "knee" else ""
            what += f"; it jumps at {places}" if places else ""
            raise self.fail(what, reference.column, f"lab query {self.numbers.evidence.plan.experiment.name}")
        chosen = named.measure in ("link", "bound", "mtu", "iterations", "n")
        sizes = span.picks(curve.sizes) or curve.sizes
        keys = () if chosen or value.source else curve.keys(sizes)
        return replace(
            value,
            keys=keys,
            unchecked=self.numbers.evidence.unchecked(keys),
            source=value.source or (curve.series.name if chosen else ""),
            series=(curve.series.name,),
            link="" if chosen else describe_link(curve.series.link, self.numbers.evidence.plan.site),
        )

    def _span(self, reference: Reference, curve: MeasuredCurve, measure: Measure) -> Span:
        span = reference.span or Span()
        if measure.takes != "size":
            return span if measure.takes == "span" and not span.listed else Span()
        size = span.size
        if size is None:
            middle = format_size(curve.sizes[len(curve.sizes) // 2])
            what = f"{reference.path} needs one size"
            raise self.fail(what, reference.column, f"{reference.path} at {middle}")
        if size not in curve.sizes:
            raise self._not_at(size, curve.sizes, reference, "measured")
        return span

    def _not_at(self, size: int, sizes: tuple[int, ...], reference: Reference, done: str) -> QueryError:
        near = min(sizes, key=lambda there: abs(there - size))
        what = f"{reference.path} was not {done} at {format_size(size)} (it has {', '.join(map(format_size, sizes))})"
        return self.fail(what, reference.column, f"{reference.path} at {format_size(near)}")

    def sizes_of(self, reference: Reference) -> tuple[int, ...]:
        """The sizes of a measure of a series; instructions were counted at a few."""
        named, evidence = self.named(reference), self.numbers.evidence
        counted = {row.size_bytes for row in evidence.causes if row.series == named.curve.series.name}
        sizes = named.curve.sizes
        return tuple(size for size in sizes if size in counted) if named.measure in COUNTED else sizes

    def named(self, reference: Reference) -> Named:
        """The series, point and measure of a reference, or an error that names the nearest."""
        series, *shorter = self._series_that_begin(reference.path)
        path, constants = reference.path, (LINK, *self.numbers.named_constants)
        meanings = [f"a measure of {other.name}" for other in shorter if _is_measure(other, path)]
        if meanings := meanings + ["a constant"] * (path in constants):
            what = f"{path} is ambiguous: a series, and {meanings[0]}"
            raise self.fail(what, reference.column, "rename the series in the experiment's file")
        if not _is_measure(series, reference.path):
            raise self._no_measure(series, reference)
        end, measure, rest = _parts(series, reference.path)
        if measure in ENDED and (not rest or rest[0] not in ENDS):
            hint = " or ".join(f"{series.name}.{measure}.{side}" for side in ENDS)
            raise self.fail(f"{measure} is of one end", reference.column, hint)
        return Named(self.numbers.curve(series, self._point(series, reference), end), measure, ".".join(rest))

    def _no_measure(self, series: Series, reference: Reference) -> QueryError:
        _, measure, rest = _parts(series, reference.path)
        names, default, typed = list(measures_of(series)), default_of(series), ".".join((measure, *rest))
        near = SYNONYMS.get(typed) or next(iter(get_close_matches(typed, names, 1, 0.7)), "")
        better = f"{series.name}.{near}" if near in names and near != default else series.name
        if typed in ("latency", "half") and series.measure == "latency":
            better = f"{series.name} ({WHOLE if typed == 'half' else LATENCY})"
        column = reference.column + len(series.name) + 1
        return self.fail(f"{series.name} has no measure {typed!r} (it has {', '.join(names)})", column, better)

    def _point(self, series: Series, reference: Reference) -> Point:
        """The varied values that a query names in brackets, by name or in the order of the file."""
        points = series.points()
        _, measure, _ = _parts(series, reference.path)
        if not series.vary or (measure in ("link", "mtu") and not reference.point):
            if reference.point:
                raise self.fail(f"{series.name} varies nothing", reference.column, series.name)
            return points[0]
        typed = [part.strip() for part in reference.point.split(",")] if reference.point else []
        values = dict(zip(series.vary, typed, strict=False)) if not any("=" in part for part in typed) else {}
        values |= {name.strip(): value.strip() for name, sign, value in (part.partition("=") for part in typed) if sign}
        named = {name: comparable(value) for name, value in values.items()}
        listed = Counter(map(comparable, typed))
        match = [point for point in points if {name: comparable(value) for name, value in point.items()} == named]
        match = match or [point for point in points if Counter(map(comparable, point.values())) == listed]
        if len(match) == 1:
            return match[0]
        varied = "; ".join(f"{name}: {', '.join(map(str, row))}" for name, row in series.vary.items())
        choices = [", ".join(map(str, point.values())) for point in points]
        near = get_close_matches(", ".join(typed), choices, n=1, cutoff=0.0) or choices
        what = f"{series.name} varies {varied}: which value?"
        raise self.fail(what, reference.column, f"{series.name}[{near[0]}]{reference.path[len(series.name) :]}")

    def _constant(self, reference: Reference) -> Value:
        """A value of the plan, of a card's file, or of a published report."""
        if reference.path == LINK:
            # The rate of the link of the series that the text names before, or of all series.
            named = [value.series[0] for value in self._values.values() if value.series] or self.numbers.series
            rates = {self.numbers.series[name].link.rate_bit_s for name in named} - {None}
            if len(rates) != 1:
                raise self.fail("there are several links", reference.column, f"{next(iter(self.numbers.series))}.link")
            return exact((rates.pop() or 0) / 8, (1, -1), "bit/s", "the plan")
        constant = self.numbers.named_constants.get(reference.path)
        if constant is None:
            raise self._unknown(reference)
        if isinstance(constant, Value):
            return constant
        value = constant.answer(reference.span or Span())
        if value is None:
            sizes = ", ".join(map(format_size, constant.sizes[:8]))
            hint = f"at {sizes} ..." if sizes else "a range with more published sizes"
            raise self.fail("a published curve needs one of its sizes, a line at least two", reference.column, hint)
        return replace(value, source=constant.source)

    def _unknown(self, reference: Reference) -> QueryError:
        name, names, column = reference.path, [*self.numbers.series, *self.numbers.named_constants], reference.column
        tries = (name, name.lower(), name.partition(".")[0].lower())
        near = next((near for typed in tries if (near := get_close_matches(typed, names, 1, 0.4))), [])
        experiment = self.numbers.evidence.plan.experiment
        if failed := next((each for each in experiment.failed if f"{name}.".startswith(f"{each}.")), ""):
            hint = f"leave {failed} out, or correct the program, then lab run {experiment.name}"
            return self.fail(f"{failed} has no numbers, since its program failed", column, hint)
        hint = f"one of {', '.join(self.numbers.series)}"
        if near:
            hint = self.text[:column] + near[0] + self.text[column + len(name) :]
        return self.fail(f"no series or constant {name!r}", column, hint)


def _parts(series: Series, path: str) -> tuple[str, str, list[str]]:
    """A path behind the name of its series: an end if the series' ends time their calls, the measure, the rest."""
    rest = path[len(series.name) + 1 :].split(".") if path != series.name else []
    end = ""
    if series.measure == ONE_WAY:
        end = rest.pop(0) if rest and rest[0] in SIDES else SIDES[0]
    if not rest:
        return end, default_of(series), []
    length = 2 if ".".join(rest[:2]) in measures_of(series) else 1  # `peak.size` is one measure
    return end, ".".join(rest[:length]), rest[length:]


def _is_measure(series: Series, path: str) -> bool:
    """Whether a path is a measure of the series; only some measures have an end behind them."""
    _, measure, rest = _parts(series, path)
    return measure in measures_of(series) and (measure in ENDED or not rest)
