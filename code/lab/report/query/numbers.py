"""Answers to queries about one experiment: names are looked up, measures computed, and arithmetic done on both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
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
from lab.report.evidence.curve import Subject, margin_of, subject
from lab.report.evidence.evidence import COMPLETED, Evidence, comparable
from lab.report.evidence.labels import describe_link
from lab.report.query.constants import Published, of_card, of_plan, of_published
from lab.report.query.grammar import Number, Operation, Query, QueryError, Reference, Span, parse_query, references
from lab.report.query.measures import ENDED, MEASURES, Inquiry, Measure, MeasuredCurve, default_of, jumps, measures_of
from lab.report.query.value import PER_SECOND, PURE, RATE, TIME, UNITS, Dimension, Memory, Value, combine, exact
from lab.report.topics.causes import causes_of

COUNTED = ("instructions", "busy")
LINK = "link"  # the rate of the link of all series that a text names
SHOWN = {"percent": PURE, "bit/s": RATE}  # the units that a query may ask for
NEARLY = 0.005  # of a typed number: one that was copied with fewer digits
BY_DIMENSION = {  # the measure that yields a typed number
    ("throughput", RATE): "", ("throughput", PER_SECOND): ".messages", ("throughput", TIME): ".time",
    ("latency", TIME): "", (ONE_WAY, TIME): "",
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
    """Every number of an experiment, computed when it is asked for."""

    evidence: Evidence
    memory: Memory = field(default_factory=Memory, repr=False)
    _curves: dict[tuple[str, str, str, str], MeasuredCurve] = field(default_factory=dict, repr=False)

    @cached_property
    def series(self) -> dict[str, Series]:
        return {series.name: series for series in self.evidence.plan.experiment.series}

    @cached_property
    def cards(self) -> dict[str, Card]:
        return {series.link.card.name: series.link.card for series in self.series.values() if series.link.card}

    @property
    def margin(self) -> float:
        """By which two equal programs may differ."""
        return margin_of(self.evidence.plan.site.traits)

    def ask(self, text: str) -> Value:
        """The answer to a query, or an error that points at the character."""
        if text not in self.memory.values:
            query, across, unit = parse_query(text)
            value = Question(self, text, is_across_links=across).value(query).sealed()
            if value.dimension not in UNITS or value.dimension != SHOWN.get(unit, value.dimension):
                raise QueryError("no unit for such a number", "", "a rate, a time, a size or a ratio", text)
            self.memory.values[text] = replace(value, unit=unit or value.unit)
        return self.memory.values[text]

    @cached_property
    def named_constants(self) -> dict[str, Value | Published]:
        """The numbers that nobody measured here, by the names that queries use."""
        cards = {f"{name}.{part}": value for name, card in self.cards.items() for part, value in of_card(card).items()}
        return {**of_plan(self.evidence), **cards, **of_published(self.evidence.plan.experiment.name)}

    def constants(self) -> tuple[Value, ...]:
        """The numbers with a unit that nobody measured here, so that a text may type them."""
        self.memory.constants = self.memory.constants or tuple(self._constants())
        return self.memory.constants

    def _constants(self) -> Iterator[Value]:
        links = [series.link for series in self.series.values()]
        yield from of_plan(self.evidence).values()
        for card in self.cards.values():
            yield from of_card(card).values()
        yield from (exact(link.rate_bit_s / 8, RATE) for link in links if link.rate_bit_s)
        yield from (exact(link.delay_ns * 1e-9, TIME) for link in links)
        for series in self.series.values():
            limit = series.parameters(self.evidence.plan.site.name, {}).until_stable
            yield exact(limit / 100, PURE, "percent")
        yield exact(LARGEST_SHARE, PURE, "percent")

    def suggest(self, value: float, dimension: Dimension) -> str:
        """The query whose answer is nearest to a typed number, or nothing."""
        distances = {text: abs(self._quick(text) / value - 1) for text in self._askable(dimension)} if value else {}
        near = min(distances, key=lambda text: (round(distances[text], 3), len(text), distances[text]), default="")
        return near if near and distances[near] < NEARLY else ""

    def _quick(self, text: str) -> float:
        """The value alone."""
        try:
            return Question(self, text, random=None).value(parse_query(text)[0]).estimate.value
        except QueryError:
            return 0.0

    def _askable(self, dimension: Dimension) -> Iterator[str]:
        """Measures of a dimension at every size, and ratios of two series on one link."""
        site = self.evidence.plan.site.name
        plain = [series for series in self.series.values() if not series.vary]
        for series in plain:
            measure = BY_DIMENSION.get((series.measure, dimension))
            if measure is not None:
                yield from (f"{series.name}{measure} at {format_size(size)}" for size in series.sizes(site))
            if dimension == PURE and series.link.rate_bit_s and series.measure == "throughput":
                yield from (f"{series.name} / {series.name}.link at {format_size(size)}" for size in series.sizes(site))
            for base in plain if dimension == PURE else ():
                if base != series and (base.link, base.measure) == (series.link, series.measure):
                    common = [size for size in series.sizes(site) if size in base.sizes(site)]
                    yield from (f"{series.name} / {base.name} at {format_size(size)}" for size in common)

    def curve(self, series: Series, point: Point, end: str, column: str) -> MeasuredCurve:
        """The curve, made once; a column replaces the one that its program knows best."""
        key = series.name, str(point), end, column
        if key not in self._curves:
            self._curves[key] = MeasuredCurve(self._subject(series, point, end, column), end)
        return self._curves[key]

    def _subject(self, series: Series, point: Point, end: str, column: str) -> Subject:
        if series.measure == "throughput":
            found = subject(self.evidence, series, point)
            return replace(found, column=column) if column else found
        column = f"{end}_mean_ns" if series.measure == ONE_WAY else "round_trip_ns"
        return Subject(self.evidence, series, column, point)

    def names(self) -> Iterator[str]:
        """All that a query can begin with."""
        yield from self.series
        yield from self.named_constants


@dataclass(frozen=True)
class Named:
    """A series that a query names: its point, its end, its measure, and what stands behind it."""

    series: Series
    point: Point
    end: str
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
            return self._reference(query, column)
        left, right = self.value(query.left, column), self.value(query.right, column)
        self._require_fit(query, left, right)
        return combine(query.sign, left, right)

    def _require_fit(self, query: Operation, left: Value, right: Value) -> None:
        if query.sign in "+-" and left.dimension != right.dimension:
            raise self.fail(f"{_kind(left)} {query.sign} {_kind(right)}", query.column, "both sides of one kind")
        if query.sign == "/" and right.estimate.value == 0:
            raise self.fail("division by 0", query.column)
        self.require_one_link(left, right, query.column)

    def require_one_link(self, left: Value, right: Value, column: int) -> None:
        """An error where two series were measured over different links, and the query does not say so."""
        if left.link and right.link and left.link != right.link and not self.is_across_links:
            what = f"two links: {left.series[0]} ran over {left.link}; {right.series[0]} over {right.link}"
            raise self.fail(what, column, self._same_link(left, right))

    def _same_link(self, left: Value, right: Value) -> str:
        """A series of the same program as the right one on the left one's link."""
        series = self.numbers.series
        ours, theirs = series[left.series[0]], series[right.series[0]]
        beside = [name for name, one in series.items() if (one.link, one.program) == (ours.link, theirs.program)]
        beside = [name for name in beside if name != left.series[0]]
        across = "or end with `across links` to compare two links on purpose"
        return f"{left.series[0]} / {beside[0]}, {across}" if beside else across

    def common_column(self, *queries: Query) -> str:
        """Programs of one operation stop alike: at the last completion, where one of them knows of no confirmation."""
        named = [self.named(part) for query in queries for part in references(query) if self.series_of(part.path)]
        curves = [self.numbers.curve(part.series, part.point, part.end, "") for part in named]
        rates = [curve.subject for curve in curves if curve.kind == "throughput" and curve.subject.series.program]
        columns = {rate.column for rate in rates}
        if columns == {COMPLETED} or COMPLETED not in columns or len({rate.series.operation for rate in rates}) > 1:
            return ""
        alike = [replace(rate, column=COMPLETED) for rate in rates]
        return COMPLETED if all(rate.values(rate.sizes[0]) for rate in alike) else ""

    def series_of(self, path: str) -> Series | None:
        """The series with the longest name that the path begins with."""
        return next(iter(self._series_that_begin(path)), None)

    def _series_that_begin(self, path: str) -> list[Series]:
        """The series whose names the path begins with, the longest name first."""
        parts = path.split(".")
        names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        return [self.numbers.series[name] for name in names if name in self.numbers.series]

    def _reference(self, reference: Reference, column: str) -> Value:
        key = reference.path, reference.point, reference.span, column
        if key not in self._values:
            is_series = self.series_of(reference.path)
            self._values[key] = self._of_series(reference, column) if is_series else self._constant(reference)
        return self._values[key]

    def _of_series(self, reference: Reference, column: str) -> Value:
        named = self.named(reference)
        curve = self.numbers.curve(named.series, named.point, named.end, column)
        measure = MEASURES[named.measure]
        span = self._span(reference, curve, measure)
        value = measure.compute(Inquiry(curve, span, self.random, named.rest))
        if value is None:
            what = f"the data give no {named.measure} of {curve.subject.words} ({measure.about})"
            places = ", ".join(map(format_size, jumps(curve))) if named.measure == "knee" else ""
            what += f"; it jumps at {places}" if places else ""
            raise self.fail(what, reference.column, f"lab query {self.numbers.evidence.plan.experiment.name}")
        chosen = named.measure in ("link", "mtu", "iterations", "n")
        sizes = span.picks(curve.sizes) or curve.sizes
        keys = () if chosen or value.source else curve.subject.keys(sizes)
        return replace(
            value,
            keys=keys,
            unchecked=self.numbers.evidence.unchecked(keys),
            source=value.source or (str(named.series.name) if chosen else ""),
            series=(named.series.name,),
            link="" if chosen else describe_link(named.series.link, self.numbers.evidence.plan.site),
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
            near = min(curve.sizes, key=lambda other: abs(other - size))
            sizes = ", ".join(map(format_size, curve.sizes))
            what = f"{reference.path} was not measured at {format_size(size)} (it has {sizes})"
            raise self.fail(what, reference.column, f"{reference.path} at {format_size(near)}")
        return span

    def sizes_of(self, reference: Reference) -> tuple[int, ...]:
        """The sizes at which a measure of a series is known: instructions were counted at a few."""
        named, evidence = self.named(reference), self.numbers.evidence
        counted = {row.size_bytes for row in causes_of(evidence) if row.series == named.series.name}
        sizes = named.series.sizes(evidence.plan.site.name)
        return tuple(size for size in sizes if size in counted) if named.measure in COUNTED else sizes

    def named(self, reference: Reference) -> Named:
        """The series, point and measure of a reference, or an error that names the nearest."""
        series, *shorter = self._series_that_begin(reference.path)
        self._require_one_meaning(reference, shorter)
        end, rest = _parts(series, reference.path)
        measure = self._measure(series, rest, reference)
        return Named(series, self._point(series, reference), end, measure, ".".join(rest[len(measure.split(".")) :]))

    def _require_one_meaning(self, reference: Reference, shorter: list[Series]) -> None:
        """Raise if the name of a series is that of a constant too, or of a measure of another series."""
        path = reference.path
        meanings = [f"a measure of {one.name}" for one in shorter if _is_measure(one, _parts(one, path)[1])]
        meanings += ["a constant"] if path == LINK or path in self.numbers.named_constants else []
        if meanings:
            what = f"{path} is ambiguous: a series, and {meanings[0]}"
            raise self.fail(what, reference.column, "rename the series in the experiment's file")

    def _measure(self, series: Series, rest: list[str], reference: Reference) -> str:
        known, default = list(measures_of(series)), default_of(series)
        if not rest:
            return default
        if _is_measure(series, rest):
            measure = _first_measure(series, rest)
            if measure in ENDED and (len(rest) < 2 or rest[1] not in ENDS):
                hint = f"{series.name}.{measure}.{ENDS[0]} or {series.name}.{measure}.{ENDS[1]}"
                raise self.fail(f"{measure} is of one end", reference.column, hint)
            return measure
        typed = ".".join(rest)
        near = SYNONYMS.get(typed) or next(iter(get_close_matches(typed, known, 1, 0.5)), "")
        better = f"{series.name}.{near}" if near in known and near != default else series.name
        if typed in ("latency", "half") and series.measure == "latency":
            better = f"{series.name} ({WHOLE if typed == 'half' else LATENCY})"
        column = reference.column + len(series.name) + 1
        raise self.fail(f"{series.name} has no measure {typed!r} (it has {', '.join(known)})", column, better)

    def _point(self, series: Series, reference: Reference) -> Point:
        """The varied values that a query names in brackets, by name or in the order of the file."""
        points = series.points()
        if not series.vary:
            if reference.point:
                raise self.fail(f"{series.name} varies nothing", reference.column, series.name)
            return {}
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
        known = [", ".join(map(str, point.values())) for point in points]
        near = get_close_matches(", ".join(typed), known, n=1, cutoff=0.0) or known
        what = f"{series.name} varies {varied}: which value?"
        raise self.fail(what, reference.column, f"{series.name}[{near[0]}]")

    def _constant(self, reference: Reference) -> Value:
        """A value of the plan, of a card's file, or of a published report."""
        if reference.path == LINK:
            return self._common_link(reference)
        constant = self.numbers.named_constants.get(reference.path)
        if constant is None:
            raise self._unknown(reference)
        if isinstance(constant, Value):
            return constant
        return constant.at(reference.span, lambda what, hint: self.fail(what, reference.column, hint))

    def _common_link(self, reference: Reference) -> Value:
        """The rate of the link of the series that the text names before, or of all series."""
        named = [value.series[0] for value in self._values.values() if value.series] or self.numbers.series
        rates = {self.numbers.series[name].link.rate_bit_s for name in named} - {None}
        if len(rates) != 1:
            raise self.fail("there are several links", reference.column, f"{next(iter(self.numbers.series))}.link")
        return exact((rates.pop() or 0) / 8, (1, -1), "bit/s", "the plan")

    def _unknown(self, reference: Reference) -> QueryError:
        name = reference.path
        known = list(self.numbers.names())
        near = get_close_matches(name, known, n=1, cutoff=0.4)
        if not near and "." in name:
            near = get_close_matches(name.partition(".")[0], known, n=1, cutoff=0.4)
        if near:
            better = self.text[: reference.column] + near[0] + self.text[reference.column + len(name) :]
            return self.fail(f"no series or constant {name!r}", reference.column, better)
        return self.fail(
            f"no series or constant {name!r}", reference.column, f"one of {', '.join(self.numbers.series)}"
        )


def _parts(series: Series, path: str) -> tuple[str, list[str]]:
    """The end that a path names, of a series whose ends time their calls, and what stands behind the series."""
    rest = path[len(series.name) + 1 :].split(".") if path != series.name else []
    if series.measure != ONE_WAY:
        return "", rest
    return (rest[0], rest[1:]) if rest and rest[0] in SIDES else (SIDES[0], rest)


def _first_measure(series: Series, rest: list[str]) -> str:
    """The measure that these parts of a path begin with, such as `peak.size`, or the first part."""
    return ".".join(rest[:2]) if ".".join(rest[:2]) in measures_of(series) else rest[0]


def _is_measure(series: Series, rest: list[str]) -> bool:
    """Whether these parts of a path are a measure of the series; only some measures have an end behind them."""
    measure = _first_measure(series, rest) if rest else default_of(series)
    is_whole = measure in ENDED or len(rest) <= len(measure.split("."))
    return measure in measures_of(series) and is_whole


def _kind(value: Value) -> str:
    return {"B/s": "a rate", "s": "a time", "messages/s": "a message rate", "bytes": "a size"}.get(
        UNITS.get(value.dimension, ""), "a ratio"
    )
