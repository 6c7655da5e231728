"""Numbers with their units as LaTeX prints them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import floor, log10

from lab.analysis.estimate import Estimate
from lab.model.sizes import in_prefix
from lab.report.answer import Answer
from lab.report.tex.render import escape

# Significant digits of a measured number with an interval, and of one without.
WITH_INTERVAL, WITHOUT_INTERVAL = 4, 3


def last_place(estimate: Estimate) -> int:
    """The power of ten of the last digit to show: that of the first digit of the interval's half width."""
    leading = _leading(estimate.value)
    digits = WITH_INTERVAL if estimate.interval else WITHOUT_INTERVAL
    finest = leading - digits + 1
    half = estimate.interval.width / 2 if estimate.interval else 0.0
    return min(max(_leading(half), finest), leading) if half else finest


def _leading(value: float) -> int:
    return floor(log10(abs(value))) if value else 0


MICRO, NANO = 1e-6, 1e-9
DECIMAL = ((1e9, "G", r"\giga"), (1e6, "M", r"\mega"), (1e3, "k", r"\kilo"), (1.0, "", ""))
BINARY_PREFIXES = ((2.0**30, "Gi", r"\gibi"), (2.0**20, "Mi", r"\mebi"), (2.0**10, "Ki", r"\kibi"), (1.0, "", ""))
SMALL = ((1.0, "", ""), (1e-3, "m", r"\milli"), (1e-6, "µ", r"\micro"), (1e-9, "n", r"\nano"))
PREFIXES = {plain: tex for _, plain, tex in (*DECIMAL, *BINARY_PREFIXES)}
MILLIONS = ((1e6, "million ", r"\million"), (1.0, "", ""))  # of what is counted
SHORT = r"-?\d{1,4}(?:\.\d+)?"  # a number whose digits are in no groups
_ALL = (*DECIMAL, *BINARY_PREFIXES, *SMALL, *MILLIONS)
SCALES = {tex[1:]: scale for scale, _, tex in _ALL if tex}  # by siunitx's names
SYMBOLS = {tex[1:]: plain for _, plain, tex in _ALL if tex} | {
    **{"byte": "B", "bit": "bit", "second": "s", "percent": "%", "per": "/", "hertz": "Hz", "messages": "messages"},
}


@dataclass(frozen=True)
class Written:
    """The notation of a quantity: plain, and as a siunitx unit; a unit of words takes no prefix."""

    plain: str
    tex: str
    prefixes: tuple[tuple[float, str, str], ...] = ((1.0, "", ""),)


UNITS = {
    "B/s": Written("B/s", r"\byte\per\second", DECIMAL),
    "bit/s": Written("bit/s", r"\bit\per\second", DECIMAL),
    "messages/s": Written("messages/s", r"\messages\per\second", MILLIONS),
    "/B": Written(" /B", r"\per\byte"),
    "s": Written("s", r"\second", SMALL),
    "B": Written("B", r"\byte", DECIMAL),
    "size": Written("B", r"\byte"),  # of a message that was sent: printed in full
    "bytes": Written("B", r"\byte", BINARY_PREFIXES),  # between sizes: as far as its interval goes
    "percent": Written("%", r"\percent"),
    "": Written("", ""),
}


def plain_unit(typed: str) -> str:
    r"""`\mega\byte\per\second` as MB/s."""
    return re.sub(r"\\([a-z]+)\s*", lambda found: SYMBOLS.get(found[1], found[1]), typed)


@dataclass(frozen=True)
class PrintedNumber:
    """A number as it is printed."""

    number: str
    plain_unit: str
    tex_unit: str

    @property
    def plain(self) -> str:
        return f"{self.number} {self.plain_unit.strip()}".strip()

    @property
    def tex(self) -> str:
        return rf"\qty{{{self.number}}}{{{self.tex_unit}}}" if self.tex_unit else number_tex(self.number)


def number_tex(number: str) -> str:
    r"""A number without a unit. siunitx groups the digits of a long one; reading the thousands of short ones that a
    report has would take it half of LaTeX's time."""
    return rf"\labnum{{{number}}}" if re.fullmatch(SHORT, number) else rf"\num{{{number}}}"


def show(value: float, unit: str, place: int, beside: float | None = None) -> PrintedNumber:
    """The value to this place (a power of ten of the bare unit), with the prefix that suits it or its neighbour."""
    if unit == "size":
        return _show_size(round(value))
    known = UNITS[unit]
    scale, prefix, tex_prefix = _prefix(value if beside is None else beside, known)
    number = format_to_place(value / scale, place - round(log10(scale)))
    return PrintedNumber(number, prefix + known.plain, tex_prefix + known.tex)


def show_exactly(value: float, unit: str) -> PrintedNumber:
    """A number that was chosen or counted: all of its digits, and no zeros behind them."""
    if unit == "size":
        return _show_size(round(value))
    known = UNITS[unit]
    scale, prefix, tex_prefix = _prefix(value, known)
    return PrintedNumber(f"{value / scale:.12g}", prefix + known.plain, tex_prefix + known.tex)


def format_to_place(value: float, place: int) -> str:
    """Decimal digits down to a power of ten: 1234.56 to place -1 is 1234.6, to place 2 is 1200."""
    if place <= 0:
        return f"{round(value, -place) + 0.0:.{-place}f}"  # the sum has no -0
    return f"{round(value / 10**place) * 10**place:d}"


def _prefix(value: float, unit: Written) -> tuple[float, str, str]:
    """The largest prefix that leaves a digit before the point."""
    for scale, plain, tex in unit.prefixes:
        if abs(value) >= scale:
            return scale, plain, tex
    return unit.prefixes[-1]


def _show_size(size: int) -> PrintedNumber:
    """The size in full, with a binary prefix only if the prefix divides it."""
    number, prefix = in_prefix(size)
    if prefix.endswith("i") and not number.is_integer():
        number, prefix = size, ""
    return PrintedNumber(f"{number:.12g}", f"{prefix}B", PREFIXES[prefix] + r"\byte")


def in_words(size: int) -> str:
    """4 KiB."""
    return _show_size(size).plain


def significant(value: float, digits: int) -> int:
    """The place of the last of so many significant digits."""
    return (floor(log10(abs(value))) if value else 0) - digits + 1


def shown(answer: Answer, digits: int | None = None) -> PrintedNumber:
    """The number as a text prints it: measured ones as far as the interval goes, chosen ones in full."""
    value = answer.estimate.value
    if digits is not None:
        return show(value, answer.unit, significant(value, digits))
    if answer.is_exact:
        return show_exactly(value, answer.unit)
    return show(value, answer.unit, last_place(answer.estimate))


def interval_ends(answer: Answer) -> list[str]:
    """Both ends of the interval in the answer's unit; none without an interval."""
    interval, place = answer.estimate.interval, last_place(answer.estimate)
    return [show(end, answer.unit, place).plain for end in (interval.low, interval.high)] if interval else []


def mark(answer: Answer) -> str:
    """The mark behind a number that rests on a record with a warning."""
    return r"\labwarned{}" if answer.unchecked else ""


_QUANTITY = re.compile(rf"\\qty\{{({SHORT})\}}\{{(?!\\per\\)((?:\\(?:{'|'.join(SYMBOLS)})(?![a-z]))+)\}}")


def written_out(text: str) -> str:
    """The text with the words of the units that the lab knows; what siunitx knows better, such as a long number's
    groups of digits or another unit, stays its own. Every line stays a line."""
    return _QUANTITY.sub(lambda found: rf"\labqty{{{found[1]}}}{{{escape(plain_unit(found[2]))}}}", text)
