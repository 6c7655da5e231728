"""Statements judged by the data: true, false, or undecided, at every size that they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, floor, log10
from typing import TypeGuard

from lab.analysis.estimate import Estimate
from lab.analysis.ratios import LEAST
from lab.model.sizes import format_size
from lab.report.query.grammar import (
    NoEffect,
    Number,
    Operation,
    Query,
    QueryError,
    Reference,
    Relation,
    Shape,
    Span,
    Statement,
    parse_statement,
    placed,
    references,
    with_common_span,
)
from lab.report.query.measures import LEVEL_CURVE, MEASURES, jumps, saturated_from
from lab.report.query.numbers import Numbers, Question
from lab.report.query.value import BYTES, PURE, Point, StatementResult, Truth, Value, combine, exact
from lab.report.tex.numbers import in_words, interval_ends, shown

WIDE = ("knee", "break")  # places on a curve: their interval is as wide as the data leave it
OPPOSITE = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


def judge(numbers: Numbers, text: str) -> StatementResult:
    """The judgement of a statement; an error where it is none, or names what the data do not have."""
    known = numbers.memory.judged
    if text not in known:
        statement = parse_statement(text)
        judged = _Judge(numbers, statement).judged()
        holds = judged.truth is Truth.TRUE
        known[text] = judged if holds else replace(judged, nearest=next(_holding(numbers, statement, judged), ""))
    return known[text]


@dataclass
class _Judge:
    numbers: Numbers
    statement: Statement

    def judged(self) -> StatementResult:
        claim = self.statement.claim
        if isinstance(claim, Shape):
            return self._shape(claim)
        if isinstance(claim, NoEffect):
            return self._no_effect(claim)
        return self._comparison(claim)

    def question(self) -> Question:
        return Question(self.numbers, self.statement.text, self.statement.is_across_links)

    def _comparison(self, claim: Relation) -> StatementResult:
        sides = self._placed(claim)
        points: list[Point] = []
        for size in self._sizes(sides):
            span = Span(listed=(size,)) if size else None
            points += self._points(replace(claim, sides=tuple(placed(side, span) for side in sides)), size)
        if len(claim.signs) > 1 and len(points) == len(claim.signs):
            return self._judged(points, self._chain(sides, claim.signs, self._sizes(sides)[0]))
        return self._judged(points, _shows(points))

    def _chain(self, sides: tuple[Query, ...], signs: tuple[str, ...], size: int | None) -> str:
        """Every side of a chain at one size: `487600 > 294857 > 260901`."""
        question, span = self.question(), Span(listed=(size,)) if size else None
        shown = [words(question.value(placed(side, span)).sealed(), with_interval=False) for side in sides]
        return " ".join(part for pair in zip(shown, (*signs, ""), strict=True) for part in pair).strip()

    def _placed(self, claim: Relation) -> tuple[Query, ...]:
        """The sides with the span of the statement, or with the only one that a side names."""
        spans = {reference.span for side in claim.sides for reference in references(side) if reference.span}
        only = spans.pop() if len(spans) == 1 else None
        common = self.statement.span or (only if only and only.size else None)
        sized = {reference for side in claim.sides for reference in references(side) if self._needs(reference, "size")}
        if common and common.size is None and sized:
            return tuple(_without_span(side) if common in spans else side for side in claim.sides)
        return tuple(placed(with_common_span(side), common) for side in claim.sides)

    def _needs(self, reference: Reference, takes: str) -> bool:
        question = self.question()
        if question.series_of(reference.path) is None:
            return False
        return MEASURES[question.named(reference).measure].takes == takes

    def _sizes(self, sides: tuple[Query, ...]) -> tuple[int | None, ...]:
        """The sizes that the statement is judged at; one without a size where no side needs any."""
        unplaced = [part for side in sides for part in references(side) if not part.span and self._needs(part, "size")]
        if not unplaced:
            return (None,)
        first, *others = map(self.question().sizes_of, unplaced)
        common = tuple(size for size in first if all(size in sizes for sizes in others))
        span = self.statement.span
        if span is None:
            middle = format_size(common[len(common) // 2]) if common else "1"
            hint = f"{self.statement.text} everywhere, or at {middle}"
            text = self.statement.text
            raise QueryError("the statement needs a place", hint=hint, query=text, column=len(text))
        return self._picked(common)

    def _picked(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the sizes that the statement names, or an error."""
        span, text = self.statement.span or Span(), self.statement.text
        picked = span.picks(sizes)
        missing = [size for size in span.listed if size not in sizes]
        if missing or not picked:
            what = f"not measured at {format_size(missing[0])}" if missing else "no size is there"
            shown = ", ".join(map(format_size, sizes)) or "none"
            raise QueryError(f"{what} (sizes of all its series: {shown})", query=text, column=0)
        return picked

    def _points(self, claim: Relation, size: int | None) -> Iterator[Point]:
        question = self.question()
        column = question.common_column(*claim.sides)
        values = [question.value(side, column) for side in claim.sides]
        for sides, sign in zip(pairwise(values), claim.signs, strict=True):
            yield self._point(question, sign, sides, claim, size)

    def _point(
        self, question: Question, sign: str, sides: tuple[Value, Value], claim: Relation, size: int | None
    ) -> Point:
        left, right = _as_size(*sides), _as_size(*reversed(sides))
        within = claim.within
        if left.dimension != right.dimension:
            raise question.fail("the two sides are of different kinds", 0, "a time and a time, a rate and a rate")
        question.require_one_link(left, right, 0)
        if sign == "=" and any(map(_is_place, claim.sides)):
            return Point(size, right if left.is_exact else left, _lies_within(left, right))
        margin = self._margin(left, right) if within is None else within
        if right.estimate.value > 0:
            ratio = combine("/", left, right).sealed()
            times = combine("*", ratio, exact(_factor(claim.sides[-1])))
            shown = left if isinstance(claim.sides[-1], Number) else times
            truth = compare(sign, ratio, 1.0, margin if sign == "=" or within is None else 0.0)
            return Point(size, shown.sealed(), truth)
        return Point(size, left.sealed(), compare(sign, combine("-", left, right).sealed(), 0.0, 0.0))

    def _margin(self, left: Value, right: Value) -> float:
        """Luck counts between two measured sides, and where a ratio of two is compared with 1; `=` allows it always."""
        is_ratio_to_1 = right.is_exact and right.dimension == PURE and right.estimate.value == 1 and left.medians > 1
        measured = not left.is_exact and not right.is_exact
        return self.numbers.margin if measured or is_ratio_to_1 else 0.0

    def _judged(self, points: list[Point], shows: str) -> StatementResult:
        values = [point.value for point in points]
        sizes = tuple(dict.fromkeys(point.size for point in points if point.size))
        return StatementResult(
            self.statement.text,
            _together(point.truth for point in points),
            tuple(points),
            shows,
            keys=tuple(dict.fromkeys(key for value in values for key in value.keys)),
            source="; ".join(dict.fromkeys(value.source for value in values if value.source)),
            series=tuple(dict.fromkeys(name for value in values for name in value.series)),
            sizes=sizes,
            n=min((value.estimate.n for value in values if value.estimate.n), default=0),
        )

    def _shape(self, claim: Shape) -> StatementResult:
        question = self.question()
        if question.series_of(claim.subject.path) is None:
            question.value(claim.subject)
            raise question.fail(f"{claim.subject.path} is one number", claim.subject.column, "a series")
        named = question.named(claim.subject)
        curve = self.numbers.curve(named.series, named.point, named.end, "")
        if claim.size not in curve.sizes:
            question.value(placed(claim.subject, Span(listed=(claim.size,))))
        base = replace(claim.subject, span=Span(listed=(claim.size,)))
        if claim.verb == "jumps":
            return self._jump(question, base, claim.size, jumps(curve), curve.sizes)
        larger = [size for size in curve.sizes if size > claim.size]
        points = [self._relative(question, base, size) for size in larger]
        start = saturated_from(curve)
        shows = _shows(points) if points else "no larger size was measured"
        shows += f"; it stays within a tenth from {in_words(start)}" if start else "; it never stays within a tenth"
        points = points or [Point(None, question.value(base).sealed(), Truth.UNDECIDED)]
        return self._judged(points, shows)

    def _relative(self, question: Question, base: Reference, size: int) -> Point:
        above = question.value(replace(base, span=Span(listed=(size,))))
        ratio = combine("/", above, question.value(base)).sealed()
        return Point(size, ratio, compare("=", ratio, 1.0, LEVEL_CURVE - 1))

    def _jump(
        self, question: Question, base: Reference, size: int, found: dict[int, float], sizes: tuple[int, ...]
    ) -> StatementResult:
        before = [other for other in sizes if other < size]
        if not before:
            raise question.fail(f"{in_words(size)} is the smallest size", base.column)
        small = question.value(replace(base, span=Span(listed=(before[-1],))))
        ratio = combine("/", question.value(base), small).sealed()
        truth = Truth.TRUE if size in found else Truth.FALSE
        if ratio.estimate.interval is None:
            truth = Truth.UNDECIDED
        where = ", ".join(f"at {in_words(at)} ({factor:.2f} times)" for at, factor in found.items()) or "nowhere"
        shows = f"from {in_words(before[-1])} to {in_words(size)} by {words(ratio)}; it jumps {where}"
        return self._judged([Point(size, ratio, truth)], shows)

    def _no_effect(self, claim: NoEffect) -> StatementResult:
        question = self.question()
        series = question.series_of(claim.subject.path)
        if series is None or claim.parameter not in series.vary:
            varied = sorted({f"{name} on {one.name}" for one in self.numbers.series.values() for name in one.vary})
            what = f"{claim.parameter} was not varied in {claim.subject.path}: the data cannot tell its effect"
            raise question.fail(what, claim.column, "varied: " + (", ".join(varied) or "no parameter"))
        points = list(self._effects(question, claim, series.name))
        return self._judged(points, _shows(points))

    def _effects(self, question: Question, claim: NoEffect, name: str) -> Iterator[Point]:
        """Every value over the first one, all other varied values alike, at every size that the statement names."""
        series = self.numbers.series[name]
        sizes = self._picked(series.sizes(self.numbers.evidence.plan.site.name))
        by_rest: dict[str, list[str]] = {}
        for point in series.points():
            if claim.least is None or float(point[claim.parameter]) >= claim.least:
                rest = str({key: value for key, value in point.items() if key != claim.parameter})
                by_rest.setdefault(rest, []).append(", ".join(map(str, point.values())))
        for size in sizes:
            for first, *others in by_rest.values():
                base = Reference(claim.subject.path, first, Span(listed=(size,)), claim.subject.column)
                for other in others:
                    ratio = combine("/", question.value(replace(base, point=other)), question.value(base)).sealed()
                    yield Point(size, ratio, compare("=", ratio, 1.0, self.numbers.margin))


def compare(sign: str, value: Value, reference: float, margin: float) -> Truth:
    """The verdict by the whole interval, against the reference widened by the margin on the side of luck."""
    interval = value.estimate.interval
    if interval is None:
        return Truth.UNDECIDED
    low, high = reference * (1 - margin), reference * (1 + margin)
    if sign == "=":
        inside, outside = low <= interval.low and interval.high <= high, interval.high < low or interval.low > high
    elif sign in (">", ">="):
        bound = high if sign == ">" else low
        inside = interval.low > bound if sign == ">" else interval.low >= bound
        outside = interval.high <= bound if sign == ">" else interval.high < bound
    else:
        bound = low if sign == "<" else high
        inside = interval.high < bound if sign == "<" else interval.high <= bound
        outside = interval.low >= bound if sign == "<" else interval.low > bound
    return Truth.TRUE if inside else Truth.FALSE if outside else Truth.UNDECIDED


def _factor(query: Query) -> float:
    """The typed factor of a side such as `5 * tcp`, without which a reader sees the ratio of two series."""
    numbers = [side for side in (query.left, query.right) if isinstance(side, Number)] if _is_product(query) else []
    return numbers[0].value if len(numbers) == 1 else 1.0


def _is_product(query: Query) -> TypeGuard[Operation]:
    return isinstance(query, Operation) and query.sign == "*"


def _as_size(value: Value, other: Value) -> Value:
    """A plain number beside a size is one of bytes."""
    is_plain = value.is_exact and value.dimension == PURE and not value.unit and other.dimension == BYTES
    return replace(value, dimension=BYTES) if is_plain else value


def _lies_within(left: Value, right: Value) -> Truth:
    """Whether a place on a curve can be the other side: its interval is all that the data leave."""
    ours, theirs = left.estimate.interval, right.estimate.interval
    if ours is None or theirs is None:
        return Truth.UNDECIDED
    return Truth.TRUE if ours.overlaps(theirs) else Truth.FALSE


def _is_place(query: Query) -> bool:
    return isinstance(query, Reference) and query.path.rpartition(".")[2] in WIDE


def _without_span(query: Query) -> Query:
    if isinstance(query, Reference):
        return replace(query, span=None)
    if isinstance(query, Operation):
        return replace(query, left=_without_span(query.left), right=_without_span(query.right))
    return query


def _together(truths: Iterable[Truth]) -> Truth:
    """False if any part is false, else undecided if any is."""
    return min(truths, key=(Truth.FALSE, Truth.UNDECIDED, Truth.TRUE).index)


def words(value: Value, *, with_interval: bool = True) -> str:
    """A value as a reader sees it: `4.93 [4.92, 4.94]`."""
    number = shown(value.answer)
    if value.is_exact or not with_interval or value.estimate.interval is None:
        return number.plain
    ends = interval_ends(value.answer)
    if number.plain_unit and all(end.endswith(number.plain_unit) for end in ends):
        ends = [end.removesuffix(number.plain_unit).strip() for end in ends]
    return f"{number.plain} [{', '.join(ends)}]"


def _shows(points: list[Point]) -> str:
    """The least and the most over the sizes, and how many of them hold."""
    if len(points) == 1:
        return f"{words(points[0].value)}{_at(points[0])}{_too_few(points[0].value.estimate)}"
    least, most = (pick(points, key=lambda point: point.value.estimate.value) for pick in (min, max))
    held = sum(point.truth is Truth.TRUE for point in points)
    spread = f"{words(least.value)}{_at(least)} to {words(most.value)}{_at(most)}"
    counted = f"true at {held} of {len(points)}{_failing(points)}"
    return f"{spread}; {counted}{_too_few(least.value.estimate)}"


def _at(point: Point) -> str:
    return f" at {format_size(point.size)}" if point.size else ""


def _failing(points: list[Point]) -> str:
    wrong = [point for point in points if point.truth is not Truth.TRUE]
    if not wrong:
        return ""
    first = ", ".join(f"{words(point.value, with_interval=False)}{_at(point)}" for point in wrong[:3])
    return f", not where it is {first}{', ...' if len(wrong) > 3 else ''}"


def _too_few(estimate: Estimate) -> str:
    return f" (n = {estimate.n}: an interval needs {LEAST})" if estimate.interval is None else ""


def _holding(numbers: Numbers, statement: Statement, judged: StatementResult) -> Iterator[str]:
    """Statements near the refused one that hold."""
    for text in _candidates(numbers, statement, judged):
        try:
            if _Judge(numbers, parse_statement(text)).judged().truth is Truth.TRUE:
                yield text
        except QueryError:
            continue


def _candidates(numbers: Numbers, statement: Statement, judged: StatementResult) -> Iterator[str]:
    claim, text = statement.claim, statement.text
    if isinstance(claim, Relation):
        yield from _other_comparisons(statement, judged, claim) if len(claim.signs) == 1 else ()
        return
    series = numbers.series[judged.series[0]]
    if isinstance(claim, Shape):
        stem = text.rpartition(" ")[0]
        yield from (f"{stem} {format_size(size)}" for size in series.sizes(numbers.evidence.plan.site.name))
        return
    stem = text.rpartition(" from ")[0] if claim.least is not None else text
    yield from (f"{stem} from {value}" for value in series.vary[claim.parameter][1:-1])


def _other_comparisons(statement: Statement, judged: StatementResult, claim: Relation) -> Iterator[str]:
    head, place = _cut(statement.text) if statement.span else (statement.text, "")
    if " at " in head:  # the place at the end is that of the last side
        return
    sign = claim.signs[0]
    yield from (f"{head} {where}" for where in _runs(judged))
    if sign in OPPOSITE:
        turned = head.replace(f" {sign} ", f" {OPPOSITE[sign]} ", 1)
        yield f"{turned} {place}".strip()
    yield from _bounds(head, place, sign, judged)
    tolerances = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
    equal = head.replace(f" {sign} ", " = ", 1).partition(" within ")[0]
    if claim.signs == ("=",) and len(judged.points) == 1 and _is_place(claim.sides[0]):
        yield f"{head.partition(' = ')[0]} = {judged.points[0].value.estimate.value:.0f}"
    yield from (f"{equal} within {100 * part:g} % {place}".strip() for part in tolerances)
    if sign in OPPOSITE:
        turned = head.replace(f" {sign} ", f" {OPPOSITE[sign]} ", 1)
        yield from (f"{turned} {where}" for where in _runs(judged, Truth.FALSE))


def _bounds(head: str, place: str, sign: str, judged: StatementResult) -> Iterator[str]:
    """The same sign with the nearest round number that holds, where a ratio is compared with one."""
    left, _, right = head.partition(f" {sign} ")
    try:
        float(right)
    except ValueError:
        return
    intervals = [point.value.estimate.interval for point in judged.points if point.value.estimate.interval]
    if not intervals or sign == "=":
        return
    is_lower = sign in (">", ">=")
    bound = min(one.low for one in intervals) if is_lower else max(one.high for one in intervals)
    unit = 10.0 ** (floor(log10(abs(bound))) - 1) if bound else 1.0  # two digits, downwards or upwards
    yield f"{left} {sign} {(floor if is_lower else ceil)(bound / unit) * unit:g} {place}".strip()


def _cut(text: str) -> tuple[str, str]:
    """A statement without its place at the end, and the place."""
    for word in (" everywhere", " from ", " up to ", " at "):
        head, found, rest = text.rpartition(word)
        if found and not any(sign in rest for sign in "<>="):
            return head, (word + rest).strip()
    return text, ""


def _runs(judged: StatementResult, truth: Truth = Truth.TRUE) -> Iterator[str]:
    """The longest run of sizes at which the statement has this truth."""
    runs: list[list[int]] = [[]]
    for point in judged.points:
        if point.truth is truth and point.size:
            runs[-1].append(point.size)
        elif runs[-1]:
            runs.append([])
    best = max(runs, key=len)
    if best and len(judged.points) > 1:
        last = judged.points[-1].size
        if len(best) == 1:
            yield f"at {format_size(best[0])}"
        elif best[-1] == last:
            yield f"from {format_size(best[0])}"
        else:
            yield f"at {format_size(best[0])}..{format_size(best[-1])}"
