"""Answers as LaTeX: a number with its unit, and a table cell with its interval."""

from __future__ import annotations

from collections.abc import Iterator

from lab.report.answer import Answer
from lab.report.tex.rounding import last_place
from lab.report.tex.units import PrintedNumber, show, show_exactly, significant


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


def mark(answer: Answer) -> str:
    """The mark behind a number that rests on a record with a warning."""
    return r"\labwarned{}" if answer.unchecked else ""
