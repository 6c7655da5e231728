"""Statements judged by the data: true, false, or undecided, at every size that they name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, groupby, pairwise
from math import ceil, floor, log10

from lab.analysis.estimate import Estimate
from lab.analysis.ratios import LEAST
from lab.experiment.experiment import Series
from lab.model.sizes import format_size
from lab.report.evidence.curve import LEVEL_CURVE, MeasuredCurve
from lab.report.query import grammar
from lab.report.query.grammar import NoEffect, Number, Operation, Query, QueryError, Reference, Relation, Shape, Span
from lab.report.query.measures import MEASURES
from lab.report.query.numbers import Numbers, Question
from lab.report.query.value import BYTES, PURE, Dimension, Point, StatementResult, Truth, Value, combine, exact
from lab.report.tex.numbers import in_words, last_place, show

WIDE = ("knee", "break")  # positions on a curve: their interval is as wide as the data leave it
OPPOSITE = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


def judge(numbers: Numbers, text: str) -> StatementResult:
    """The judgement of a statement; raise if it is malformed, or names what the data do not have."""
    if text not in numbers.judged:
        statement = grammar.parse_statement(text)
        judged = _Judge(numbers, statement).judged()
        if judged.truth is not Truth.TRUE:
            judged = replace(judged, nearest=next(_holding(numbers, statement, judged), ""))
        numbers.judged[text] = judged
    return numbers.judged[text]


@dataclass
class _Judge:
    numbers: Numbers
    statement: grammar.Statement

    def judged(self) -> StatementResult:
        claim = self.statement.claim
        if isinstance(claim, Shape):
            return self._shape(claim)
        if isinstance(claim, grammar.Trend):
            return self._trend(claim)
        return self._no_effect(claim) if isinstance(claim, NoEffect) else self._comparison(claim)

    def question(self) -> Question:
        return Question(self.numbers, self.statement.text, self.statement.is_across_links)

    def _comparison(self, claim: Relation) -> StatementResult:
        sides = self._placed(claim)
        sizes = self.sizes(sides)
        points = [point for size in sizes for point in self._points(claim, _at_size(sides, size), size)]
        if len(claim.signs) == 1 or len(points) != len(claim.signs):
            return self._judged(points, _shows(points))
        question = self.question()  # of a chain at one size, every side: `487600 > 294857 > 260901`
        values = [question.value(side).sealed() for side in _at_size(sides, sizes[0])]
        first, *others = [words(value, with_interval=False) for value in values]
        return self._judged(points, " ".join((first, *chain(*zip(claim.signs, others, strict=True)))))

    def _placed(self, claim: Relation) -> tuple[Query, ...]:
        """The sides with the span of the statement, or with the only one that a side names."""
        parts = [part for side in claim.sides for part in grammar.references(side)]
        spans = {part.span for part in parts if part.span}
        only = spans.pop() if len(spans) == 1 else None
        common = self.statement.span or (only if only and only.size else None)
        sized = [part for part in parts if self._needs_size(part)]
        if common and common.size is None and sized:
            return tuple(
                grammar.changed(side, lambda reference: replace(reference, span=None)) if common in spans else side
                for side in claim.sides
            )
        return tuple(grammar.placed(grammar.with_common_span(side), common) for side in claim.sides)

    def _needs_size(self, reference: Reference) -> bool:
        question = self.question()
        is_series = question.series_of(reference.path) is not None
        return is_series and MEASURES[question.named(reference).measure].takes == "size"

    def sizes(self, sides: tuple[Query, ...]) -> tuple[int | None, ...]:
        """The sizes at which the statement is judged; one None if no side needs a size."""
        parts = [part for side in sides for part in grammar.references(side)]
        unplaced = [part for part in parts if not part.span and self._needs_size(part)]
        if not unplaced:
            return (None,)
        first, *others = map(self.question().sizes_of, unplaced)
        common = tuple(size for size in first if all(size in sizes for sizes in others))
        if self.statement.span is None:
            text, middle = self.statement.text, format_size(common[len(common) // 2]) if common else "1"
            hint = f"{text} everywhere, or at {middle}"
            raise QueryError("the statement names no sizes", hint=hint, query=text, column=len(text))
        return self._picked(common)

    def _picked(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        """The sizes that the statement names; raise if one of them was not measured."""
        span, text = self.statement.span or Span(), self.statement.text
        picked = span.picks(sizes)
        missing = [size for size in span.listed if size not in sizes]
        if missing or not picked:
            what = f"not measured at {format_size(missing[0])}" if missing else "no size in this range was measured"
            measured = ", ".join(map(format_size, sizes)) or "none"
            raise QueryError(f"{what} (sizes of all its series: {measured})", query=text, column=0)
        return picked

    def _points(self, claim: Relation, queries: tuple[Query, ...], size: int | None) -> Iterator[Point]:
        question = self.question()
        column = question.common_column(*queries)
        values = [question.value(query, column) for query in queries]
        for typed, sides, sign in zip(pairwise(queries), pairwise(values), claim.signs, strict=True):
            yield self._point(question, replace(claim, sides=typed, signs=(sign,)), sides, size)

    def _point(self, question: Question, claim: Relation, sides: tuple[Value, Value], size: int | None) -> Point:
        (first, last), (sign,) = claim.sides, claim.signs
        left, right = _as_size(*sides), _as_size(*reversed(sides))
        if left.dimension != right.dimension:
            measured = sides[0] if isinstance(last, Number) else sides[1]
            hint = f"a number with its unit, such as {words(measured.sealed(), with_interval=False)}"
            has_number = isinstance(first, Number) or isinstance(last, Number)
            what = "the two sides are of different kinds"
            raise question.fail(what, 0, hint if has_number else "a time and a time, a rate and a rate")
        question.require_one_link(left, right, 0)
        if sign == "=" and claim.within is None and any(map(_is_position, claim.sides)):
            return Point(size, right if left.is_exact else left, _overlap(left, right))
        if right.estimate.value <= 0:
            return Point(size, left.sealed(), compare(sign, combine("-", left, right).sealed(), 0.0, 0.0))
        margin = self._margin(left, right) if claim.within is None else claim.within if sign == "=" else 0.0
        ratio = combine("/", left, right).sealed()
        if isinstance(first, Number) or isinstance(last, Number):
            shown = left if isinstance(last, Number) else right
        else:
            shown = combine("*", ratio, exact(_factor(last)))
        return Point(size, shown.sealed(), compare(sign, ratio, 1.0, margin))

    def _margin(self, left: Value, right: Value) -> float:
        """The margin between two measured sides, and between a ratio of two and 1; otherwise none."""
        is_ratio_to_1 = right.is_exact and right.dimension == PURE and right.estimate.value == 1 and left.medians > 1
        measured = not left.is_exact and not right.is_exact
        return self.numbers.margin if measured or is_ratio_to_1 else 0.0

    def _judged(self, points: list[Point], shows: str) -> StatementResult:
        values = [point.value for point in points]
        sizes = tuple(dict.fromkeys(point.size for point in points if point.size))
        return StatementResult(
            self.statement.text,
            min((point.truth for point in points), key=(Truth.FALSE, Truth.UNDECIDED, Truth.TRUE).index),
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
        curve = question.named(claim.subject).curve
        base = replace(claim.subject, span=Span(listed=(claim.size,)))
        if claim.size not in curve.sizes:
            question.value(base)
        if claim.verb == "jumps":
            return self._jump(question, base, claim.size, curve)
        larger = [size for size in curve.sizes if size > claim.size]
        ratios = [(size, question.ratio(replace(base, span=Span(listed=(size,))), base)) for size in larger]
        points = [Point(size, ratio, compare("=", ratio, 1.0, LEVEL_CURVE - 1)) for size, ratio in ratios]
        start = curve.saturated_from
        shows = _shows(points) if points else "no larger size was measured"
        shows += f"; it stays within a tenth from {in_words(start)}" if start else "; it never stays within a tenth"
        return self._judged(points or [Point(None, question.value(base).sealed(), Truth.UNDECIDED)], shows)

    def _trend(self, claim: grammar.Trend) -> StatementResult:
        """Judge the query at every size but the first against that at the size before."""
        sizes = [size for size in self.sizes((claim.query,)) if size]
        if len(sizes) < 2:
            raise self.question().fail("a trend needs two sizes or more", 0, "everywhere, or at 64..1K")
        points: list[Point] = []
        for before, size in pairwise(sizes):
            sides = tuple(grammar.placed(claim.query, Span(listed=(at,))) for at in (size, before))
            points += self._points(Relation(sides, (claim.sign,), None), sides, size)
        return self._judged(points, f"{_shows(points)}, each over that of the size before")

    def _jump(self, question: Question, base: Reference, size: int, curve: MeasuredCurve) -> StatementResult:
        smaller = [part for part in curve.sizes if part < size]
        if not smaller:
            raise question.fail(f"{in_words(size)} is the smallest size", base.column)
        below = question.value(replace(base, span=Span(listed=(smaller[-1],))))  # first: draws follow each other
        ratio = combine("/", question.value(base), below).sealed()
        truth = Truth.TRUE if size in curve.jumps else Truth.FALSE
        if ratio.estimate.interval is None:
            truth = Truth.UNDECIDED
        where = ", ".join(f"at {in_words(at)} ({factor:.2f} times)" for at, factor in curve.jumps.items()) or "nowhere"
        shows = f"from {in_words(smaller[-1])} to {in_words(size)} by {words(ratio)}; it jumps {where}"
        return self._judged([Point(size, ratio, truth)], shows)

    def _no_effect(self, claim: NoEffect) -> StatementResult:
        question = self.question()
        series = question.series_of(claim.subject.path)
        if series is None or claim.parameter not in series.vary:
            varied = sorted({f"{name} on {run.name}" for run in self.numbers.series.values() for name in run.vary})
            what = f"{claim.parameter} was not varied in {claim.subject.path}: the data do not show its effect"
            raise question.fail(what, claim.column, "varied: " + (", ".join(varied) or "no parameter"))
        points = list(self._effects(question, claim, series))
        return self._judged(points, _shows(points))

    def _effects(self, question: Question, claim: NoEffect, series: Series) -> Iterator[Point]:
        """Every value over the first one, all other varied values alike, at every size that the statement names."""
        by_rest: dict[str, list[str]] = {}
        for point in series.points():
            if claim.least is None or float(point[claim.parameter]) >= claim.least:
                rest = str({key: value for key, value in point.items() if key != claim.parameter})
                by_rest.setdefault(rest, []).append(", ".join(map(str, point.values())))
        for size in self._picked(series.sizes(self.numbers.evidence.plan.site.name)):
            reference = replace(claim.subject, span=Span(listed=(size,)))
            for first, *others in by_rest.values():
                for varied in others:
                    ratio = question.ratio(replace(reference, point=varied), replace(reference, point=first))
                    yield Point(size, ratio, compare("=", ratio, 1.0, self.numbers.margin))


def compare(sign: str, value: Value, reference: float, margin: float) -> Truth:
    """The verdict by the whole interval, against the reference widened by the margin on the side of luck."""
    interval = value.estimate.interval
    if interval is None:
        return Truth.UNDECIDED
    least, most, low, high = interval.low, interval.high, reference * (1 - margin), reference * (1 + margin)
    holds, fails = {
        "=": (low <= least and most <= high, most < low or least > high),
        ">": (least > high, most <= high),
        ">=": (least >= low, most < low),
        "<": (most < low, least >= low),
        "<=": (most <= high, least > high),
    }[sign]
    return Truth.TRUE if holds else Truth.FALSE if fails else Truth.UNDECIDED


def _at_size(queries: tuple[Query, ...], size: int | None) -> tuple[Query, ...]:
    return tuple(grammar.placed(query, Span(listed=(size,)) if size else None) for query in queries)


def _factor(query: Query) -> float:
    """The typed factor of a side, 5 of `5 * tcp` and 0.5 of `tcp / 2`: without it a reader sees a ratio of series."""
    if not isinstance(query, Operation) or query.sign not in "*/":
        return 1.0
    if query.sign == "/":
        return 1 / query.right.value if isinstance(query.right, Number) else 1.0
    numbers = [side.value for side in (query.left, query.right) if isinstance(side, Number)]
    return numbers[0] if len(numbers) == 1 else 1.0


def _as_size(value: Value, other: Value) -> Value:
    """A plain number beside a size is one of bytes."""
    is_plain = value.is_exact and value.dimension == PURE and not value.unit and other.dimension == BYTES
    return replace(value, dimension=BYTES) if is_plain else value


def _overlap(left: Value, right: Value) -> Truth:
    ends = left.estimate.interval, right.estimate.interval
    if ends[0] is None or ends[1] is None:
        return Truth.UNDECIDED
    return Truth.TRUE if ends[0].overlaps(ends[1]) else Truth.FALSE


def _is_position(query: Query) -> bool:
    return isinstance(query, Reference) and query.path.rpartition(".")[2] in WIDE


def words(value: Value, *, with_interval: bool = True) -> str:
    """A value as a reader sees it: `4.93 [4.92, 4.94]`."""
    number, interval = value.printed(), value.answer.interval
    if value.is_exact or not with_interval or interval is None:
        return number.plain
    place = last_place(value.answer)
    ends = [show(end, value.shown_unit, place).plain for end in (interval.low, interval.high)]
    if number.plain_unit and all(end.endswith(number.plain_unit) for end in ends):
        ends = [end.removesuffix(number.plain_unit).strip() for end in ends]
    return f"{number.plain} [{', '.join(ends)}]"


def _shows(points: list[Point]) -> str:
    """The least and the most over the sizes, and the number of sizes at which the statement holds."""
    if len(points) == 1:
        return f"{words(points[0].value)}{_at(points[0])}{_too_few(points[0].value.estimate)}"
    least, most = (pick(points, key=lambda point: point.value.estimate.value) for pick in (min, max))
    failing = [point for point in points if point.truth is not Truth.TRUE]
    spread = f"{words(least.value)}{_at(least)} to {words(most.value)}{_at(most)}"
    counted = f"true at {len(points) - len(failing)} of {len(points)}"
    if failing:
        first = ", ".join(f"{words(point.value, with_interval=False)}{_at(point)}" for point in failing[:3])
        counted += f", not where it is {first}{', ...' if len(failing) > 3 else ''}"
    return f"{spread}; {counted}{_too_few(least.value.estimate)}"


def _at(point: Point) -> str:
    return f" at {format_size(point.size)}" if point.size else ""


def _too_few(estimate: Estimate) -> str:
    return f" (n = {estimate.n}: an interval needs {LEAST})" if estimate.interval is None else ""


@dataclass(frozen=True)
class Stated:
    """A number in a statement, or in the data's answer to it."""

    value: float
    dimension: Dimension
    is_typed: bool
    is_difference: bool  # of a statement such as `1 - a / b > 80 %`, or a tolerance


def stated_numbers(result: StatementResult) -> Iterator[Stated]:
    """The numbers that a statement contains, and the least and the largest in answer to it."""
    claim = grammar.parse_statement(result.text).claim
    parts = [part for side in claim.sides for part in grammar.parts_of(side)] if isinstance(claim, Relation) else []
    is_difference = any(isinstance(part, Operation) and part.sign == "-" for part in parts)
    typed = [(part.value, part.dimension) for part in parts if isinstance(part, Number)]
    yield from (Stated(*number, is_typed=True, is_difference=is_difference) for number in typed)
    if isinstance(claim, Relation) and claim.within:
        yield Stated(claim.within, PURE, is_typed=True, is_difference=True)
    values = sorted((point.value for point in result.points), key=lambda value: value.estimate.value)
    for value in (values[0], values[-1]):
        for number in value.typable:
            yield Stated(number, value.dimension, is_typed=False, is_difference=is_difference)


def _holding(numbers: Numbers, statement: grammar.Statement, judged: StatementResult) -> Iterator[str]:
    for text in _candidates(numbers, statement, judged):
        try:
            if _Judge(numbers, grammar.parse_statement(text)).judged().truth is Truth.TRUE:
                yield text
        except QueryError:
            continue


def _candidates(numbers: Numbers, statement: grammar.Statement, judged: StatementResult) -> Iterator[str]:
    claim, text = statement.claim, statement.text
    if isinstance(claim, Relation):
        yield from _other_comparisons(statement, judged, claim) if len(claim.signs) == 1 else ()
        return
    if isinstance(claim, grammar.Trend):
        if run := _longest_run(judged, Truth.TRUE):
            sizes = _Judge(numbers, statement).sizes((claim.query,))
            before = sizes[sizes.index(run[0]) - 1] or 0
            yield f"{cut(text)[0]} at {format_size(before)}..{format_size(run[-1])}"
        return
    series = numbers.series[judged.series[0]]
    if isinstance(claim, Shape):
        stem = re.sub(r" \d+ ?\w*$", "", text)
        yield from (f"{stem} {format_size(size)}" for size in series.sizes(numbers.evidence.plan.site.name))
    else:
        stem = text.rpartition(" from ")[0] if claim.least is not None else text
        yield from (f"{stem} from {value}" for value in series.vary[claim.parameter][1:-1])


def _other_comparisons(statement: grammar.Statement, judged: StatementResult, claim: Relation) -> Iterator[str]:
    """The statement at fewer sizes, turned round, with another bound, or with a tolerance."""
    head, sizes = cut(statement.text) if statement.span else (statement.text, "")
    if " at " in head:  # the sizes at the end are those of the last side
        return
    (sign,) = claim.signs
    turned = head.replace(f" {sign} ", f" {OPPOSITE[sign]} ", 1) if sign in OPPOSITE else ""
    across = " across links" if statement.is_across_links else ""
    yield from (f"{head} {run}{across}" for run in _at_longest_run(judged, Truth.TRUE, statement.span))
    if turned:
        yield f"{turned} {sizes}".strip()
    yield from _bounds(head, sizes, sign, judged)
    equal = head.replace(f" {sign} ", " = ", 1).partition(" within ")[0]
    if sign == "=" and len(judged.points) == 1 and _is_position(claim.sides[0]):
        yield f"{head.partition(' = ')[0]} = {judged.points[0].value.estimate.value:.0f}"
    if sign == "=" and judged.truth is Truth.FALSE and len(judged.points) == 1 and isinstance(claim.sides[1], Number):
        value = words(judged.points[0].value, with_interval=False)
        tolerances = dict.fromkeys((f"{(claim.within or 0.01) * 100:g}", "1", "2", "3", "5", "10", "20"))
        left = head.partition(" = ")[0]
        yield from (f"{left} = {value} within {percent} % {sizes}".strip() for percent in tolerances)
    yield from (f"{equal} within {percent} % {sizes}".strip() for percent in (1, 2, 3, 5, 10, 20))
    if turned:
        yield from (f"{turned} {run}{across}" for run in _at_longest_run(judged, Truth.FALSE, statement.span))


def _bounds(head: str, sizes: str, sign: str, judged: StatementResult) -> Iterator[str]:
    """The same sign with the nearest round number that holds, where a ratio is compared with a number."""
    left, _, right = head.partition(f" {sign} ")
    intervals = [interval for point in judged.points if (interval := point.value.estimate.interval)]
    try:
        float(right)
    except ValueError:
        return
    if sign == "=" or not intervals:
        return
    is_lower = sign in (">", ">=")
    bound = min(part.low for part in intervals) if is_lower else max(part.high for part in intervals)
    unit = 10.0 ** (floor(log10(abs(bound))) - 1) if bound else 1.0  # two digits, downwards or upwards
    yield f"{left} {sign} {(floor if is_lower else ceil)(bound / unit) * unit:g} {sizes}".strip()


def cut(text: str) -> tuple[str, str]:
    """A statement without the sizes at its end, and these."""
    for word in (" everywhere", " from ", " up to ", " at "):
        head, separator, rest = text.rpartition(word)
        if separator and not any(sign in rest for sign in "<>="):
            return head, (word + rest).strip()
    return text, ""


def _at_longest_run(judged: StatementResult, truth: Truth, span: Span | None) -> Iterator[str]:
    """The most sizes in a row with this verdict, in the words of a statement."""
    run = _longest_run(judged, truth)
    if run and len(judged.points) > 1:
        first, last = format_size(run[0]), format_size(run[-1])
        is_open = run[-1] == judged.points[-1].size and not (span and (span.high or span.listed))
        yield f"at {first}" if len(run) == 1 else f"from {first}" if is_open else f"at {first}..{last}"


def _longest_run(judged: StatementResult, truth: Truth) -> list[int]:
    runs = [
        [point.size for point in run if point.size]
        for holds, run in groupby(judged.points, lambda point: point.truth is truth)
        if holds
    ]
    return max(runs, key=len, default=[])
