"""Values of queries: an estimate, its dimension, its records, and draws from which intervals of arithmetic follow."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from math import isfinite
from operator import add, mul, sub, truediv

import numpy as np

from lab.analysis.estimate import LEVEL, Estimate, Floats, Interval, estimate_median
from lab.analysis.ratios import LEAST, resampled_medians
from lab.report.tex.numbers import PrintedNumber, last_place, show, significant

Dimension = tuple[int, int]  # the powers of bytes and of seconds
RATE, TIME, PER_SECOND, BYTES, PURE = (1, -1), (0, 1), (0, -1), (1, 0), (0, 0)
PER_BYTE = (-1, 0)
UNITS = {PER_BYTE: "/B", RATE: "B/s", TIME: "s", PER_SECOND: "messages/s", BYTES: "bytes", PURE: ""}
SCALES = {"percent": 100.0, "bit/s": 8.0}  # from the fraction, and from bytes
KINDS = {RATE: "a rate", TIME: "a time", PER_SECOND: "a message rate", BYTES: "a size"}
DIGITS = 4  # of a quotient of exact numbers
_APPLY = {"+": add, "-": sub, "*": mul, "/": truediv}


@dataclass(frozen=True)
class Value:
    """The answer to a query, in bytes and seconds."""

    estimate: Estimate
    dimension: Dimension = PURE
    unit: str = ""  # another one than the dimension's, for readers
    is_rounded: bool = False  # shown with few digits, though it is exact: a quotient, a published value
    is_exact: bool = False  # chosen or counted: without an interval, and no doubt about it
    keys: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()  # records among them that did not pass every check
    source: str = ""  # of a value without records
    series: tuple[str, ...] = ()
    link: str = ""  # that the series were measured on
    draws: Floats | None = None  # of a median: what other repetitions might have given
    medians: int = 0  # how many stand in it

    @property
    def kind(self) -> str:
        return KINDS.get(self.dimension, "a ratio")

    @property
    def has_unit(self) -> bool:
        return self.dimension in UNITS

    @property
    def shown_unit(self) -> str:
        return self.unit or UNITS[self.dimension]

    @property
    def shown(self) -> Estimate:
        """The estimate in that unit: a share is kept as a fraction and shown in percent, a link's rate in bits."""
        return self.estimate.scaled(SCALES.get(self.unit, 1.0))

    @property
    def answer(self) -> Estimate:
        """The same for tables and texts; a quotient of exact numbers is rounded."""
        if not (self.is_rounded and self.is_exact):
            return self.shown
        return replace(self.shown, value=float(f"{self.shown.value:.{DIGITS}g}"))

    def printed(self, digits: int | None = None) -> PrintedNumber:
        """The number as a text prints it: a measured number as far as its interval goes, a chosen number in full."""
        place = None if self.is_exact else last_place(self.answer)
        place = place if digits is None else significant(self.answer.value, digits)
        return show(self.answer.value, self.shown_unit, place)

    @property
    def mark(self) -> str:
        """The mark behind a number of a record with a warning."""
        return r"\labwarned{}" if self.unchecked else ""

    @property
    def typable(self) -> tuple[float, float]:
        """The value, and the value with the digits that a text prints."""
        value = self.estimate.value
        return value, round(value, -last_place(self.estimate))

    def sealed(self) -> "Value":
        """The final value: where several medians stand in it, the draws give the interval."""
        if self.medians < 2 or self.draws is None or self.estimate.interval is None:
            return replace(self, draws=None)
        low, high = np.quantile(self.draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        interval = Interval(float(low), float(high)) if isfinite(low) and isfinite(high) else None
        return replace(self, estimate=replace(self.estimate, interval=interval), draws=None)


def exact(value: float, dimension: Dimension = PURE, unit: str = "", source: str = "") -> Value:
    return Value(Estimate(value, Interval(value, value), 0), dimension, unit, is_exact=True, source=source)


def median_of(samples: Iterable[float], dimension: Dimension, random: np.random.Generator | None) -> Value:
    """The median of the repetitions, with draws of it."""
    values = np.array(tuple(samples), dtype=np.float64)
    draws = resampled_medians(values, random) if random and values.size >= LEAST else None
    return Value(estimate_median(values), dimension, draws=draws, medians=1)


def combine(sign: str, left: Value, right: Value) -> Value:
    """The sum, difference, product or ratio; of one median alone its interval's ends follow, of several the draws."""
    apply = _APPLY[sign]
    estimates = left.estimate, right.estimate
    value = float(apply(estimates[0].value, estimates[1].value))
    first, second = (np.array(side.estimate.value) if side.is_exact else side.draws for side in (left, right))
    (bytes_, seconds), turn = left.dimension, {"*": 1, "/": -1}.get(sign, 0)
    return Value(
        Estimate(value, _interval(sign, *estimates), min((side.n for side in estimates if side.n), default=0)),
        (bytes_ + turn * right.dimension[0], seconds + turn * right.dimension[1]),
        left.unit if sign in "+-" else "",
        is_rounded=sign == "/" or left.is_rounded or right.is_rounded,
        is_exact=left.is_exact and right.is_exact,
        keys=tuple(dict.fromkeys(left.keys + right.keys)),
        unchecked=tuple(dict.fromkeys(left.unchecked + right.unchecked)),
        source="; ".join(dict.fromkeys(filter(None, (left.source, right.source)))),
        series=tuple(dict.fromkeys(left.series + right.series)),
        link=left.link or right.link,
        draws=apply(first, second) if first is not None and second is not None else None,
        medians=left.medians + right.medians,
    )


def _interval(sign: str, left: Estimate, right: Estimate) -> Interval | None:
    """All values that the two intervals allow; none where one is unknown, or a divisor may be 0."""
    first, second = left.interval, right.interval
    if first is None or second is None or (sign == "/" and second.contains(0)):
        return None
    ends = [float(_APPLY[sign](a, b)) for a in (first.low, first.high) for b in (second.low, second.high)]
    return Interval(min(ends), max(ends))


class Truth(Enum):
    """The verdict of the data on a statement."""

    TRUE = "true"
    FALSE = "false"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Point:
    """A statement at one size: what was compared, and whether it holds."""

    size: int | None
    value: Value
    truth: Truth


@dataclass(frozen=True)
class StatementResult:
    """A statement, its truth, what the data show, and the nearest statement that holds."""

    text: str
    truth: Truth
    points: tuple[Point, ...]
    shows: str
    nearest: str = ""
    keys: tuple[str, ...] = ()
    source: str = ""  # of what has no records: the published report, the count of instructions
    series: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    n: int = 0
