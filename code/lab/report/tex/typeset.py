"""Answers as LaTeX: a number with its unit, and a table cell with its interval."""

from __future__ import annotations

from collections.abc import Iterator
from math import log10

from lab.analysis.estimate import Estimate
from lab.report.answer import Answer
from lab.report.tex.escape import Markup
from lab.report.tex.rounding import last_place
from lab.report.tex.units import PrintedNumber, format_to_place, number_tex, show, show_exactly, significant

NO_INTERVAL = Markup("--")
IMPOSSIBLE = r"\labimpossible{}"  # behind a rate that no data can have


def shown(answer: Answer, digits: int | None = None) -> PrintedNumber:
    """The number as a text prints it: measured ones as far as the interval goes, chosen ones in full."""
    value = answer.estimate.value
    if digits is not None:
        return show(value, answer.unit, significant(value, digits))
    if answer.is_exact:
        return show_exactly(value, answer.unit)
    return show(value, answer.unit, last_place(answer.estimate))


def interval_plain(answer: Answer) -> str:
    """The interval in the answer's unit, for lists."""
    return " to ".join(end.plain for end in _ends(answer))


def _ends(answer: Answer) -> Iterator[PrintedNumber]:
    if interval := answer.estimate.interval:
        place = last_place(answer.estimate)
        yield from (show(end, answer.unit, place) for end in (interval.low, interval.high))


def cell(estimate: Estimate, scale: float = 1.0) -> Markup:
    """`1.05 [1.04, 1.06]` in a table whose head names the unit; without an interval the value alone."""
    place = last_place(estimate) - round(log10(scale))
    value = _number(estimate.value / scale, place)
    if estimate.interval is None:
        return Markup(value)
    low, high = (_number(end / scale, place) for end in (estimate.interval.low, estimate.interval.high))
    return Markup(rf"{value} \labinterval{{{low}, {high}}}")


def bare_cell(answer: Answer, scale: float = 1.0) -> Markup:
    """The value alone, with as many digits as its interval supports."""
    place = last_place(answer.estimate) - round(log10(scale))
    return Markup(_number(answer.estimate.value / scale, place) + mark(answer))


def answer_cell(answer: Answer, scale: float = 1.0) -> Markup:
    """The value with its interval, marked where one of its records warns against its numbers."""
    return Markup(cell(answer.estimate, scale) + mark(answer))


def mark(answer: Answer) -> str:
    """The mark behind a number that rests on a record with a warning."""
    return r"\labwarned{}" if answer.unchecked else ""


def _number(value: float, place: int) -> str:
    return number_tex(format_to_place(value, place))
