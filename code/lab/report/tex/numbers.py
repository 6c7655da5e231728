"""Numbers with their units as LaTeX prints them."""

import re
from dataclasses import dataclass
from math import floor, log10

from lab.analysis.estimate import Estimate
from lab.model.sizes import in_prefix
from lab.report.tex.render import escape

WITH_INTERVAL, WITHOUT_INTERVAL = 4, 3  # significant digits of a measured number


def last_place(estimate: Estimate) -> int:
    """The power of ten of the last digit to show: that of the first digit of the interval's half width."""
    finest = significant(estimate.value, WITH_INTERVAL if estimate.interval else WITHOUT_INTERVAL)
    half = estimate.interval.width / 2 if estimate.interval else 0.0
    return min(max(significant(half, 1), finest), significant(estimate.value, 1)) if half else finest


def significant(value: float, digits: int) -> int:
    """The power of ten of the last significant digit."""
    return (floor(log10(abs(value))) if value else 0) - digits + 1


MICRO, NANO = 1e-6, 1e-9
DECIMAL = ((1e9, "G", r"\giga"), (1e6, "M", r"\mega"), (1e3, "k", r"\kilo"), (1.0, "", ""))
BINARY_PREFIXES = ((2.0**30, "Gi", r"\gibi"), (2.0**20, "Mi", r"\mebi"), (2.0**10, "Ki", r"\kibi"), (1.0, "", ""))
SMALL = ((1.0, "", ""), (1e-3, "m", r"\milli"), (1e-6, "µ", r"\micro"), (1e-9, "n", r"\nano"))
PREFIXES = {plain: tex for _, plain, tex in (*DECIMAL, *BINARY_PREFIXES)}
MILLIONS = ((1e6, "million ", r"\million"), (1.0, "", ""))  # of what is counted
SHORT = r"-?\d{1,4}(?:\.\d+)?"  # a number that needs no groups of digits
_ALL = (*DECIMAL, *BINARY_PREFIXES, *SMALL, *MILLIONS)
SCALES = {tex[1:]: scale for scale, _, tex in _ALL if tex}  # by siunitx's names
SYMBOLS = {tex[1:]: plain for _, plain, tex in _ALL if tex} | {
    **{"byte": "B", "bit": "bit", "second": "s", "percent": "%", "per": "/", "hertz": "Hz", "messages": "messages"}
}


@dataclass(frozen=True)
class Unit:
    """The notation of a unit, plain and in siunitx, with its prefixes."""

    plain: str
    tex: str
    prefixes: tuple[tuple[float, str, str], ...] = ((1.0, "", ""),)


UNITS = {
    "B/s": Unit("B/s", r"\byte\per\second", DECIMAL),
    "bit/s": Unit("bit/s", r"\bit\per\second", DECIMAL),
    "messages/s": Unit("messages/s", r"\messages\per\second", MILLIONS),
    "/B": Unit(" /B", r"\per\byte"),
    "s": Unit("s", r"\second", SMALL),
    "B": Unit("B", r"\byte", DECIMAL),
    "size": Unit("B", r"\byte"),  # of a message, printed in full
    "bytes": Unit("B", r"\byte", BINARY_PREFIXES),  # an estimate between sizes
    "percent": Unit("%", r"\percent"),
    "count": Unit("", ""),  # of whole things: printed in full, but for a median between two
    "": Unit("", ""),
}


def plain_unit(typed: str) -> str:
    r"""`\mega\byte\per\second` as MB/s."""
    return re.sub(r"\\([a-z]+)\s*", lambda command: SYMBOLS.get(command[1], command[1]), typed)


@dataclass(frozen=True)
class PrintedNumber:
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
    r"""A number without a unit. siunitx groups the digits of a long number; it would need half of LaTeX's time for the
    thousands of short numbers of a report."""
    return rf"\labnum{{{number}}}" if re.fullmatch(SHORT, number) else rf"\num{{{number}}}"


def show(value: float, unit: str, place: int | None, beside: float | None = None) -> PrintedNumber:
    """The value to a place (a power of ten of the bare unit; None: all digits, without trailing zeros), with the prefix
    that suits it or the value beside it."""
    if unit == "size":
        return _show_size(round(value))
    place = None if unit == "count" and value == round(value) else place
    prefixes, size = UNITS[unit].prefixes, abs(value if beside is None else beside)
    scale, prefix, tex_prefix = next((entry for entry in prefixes if size >= entry[0]), prefixes[-1])
    digits = f"{value / scale:.12g}" if place is None else _to_place(value / scale, place - round(log10(scale)))
    return PrintedNumber(digits, prefix + UNITS[unit].plain, tex_prefix + UNITS[unit].tex)


def show_exactly(value: float, unit: str) -> PrintedNumber:
    """A number that was chosen or counted."""
    return show(value, unit, None)


def _to_place(value: float, place: int) -> str:
    """Decimal digits down to a power of ten: 1234.56 to place -1 is 1234.6, to place 2 is 1200."""
    if place <= 0:
        return f"{round(value, -place) + 0.0:.{-place}f}"  # the sum has no -0
    return f"{round(value / 10**place) * 10**place:d}"


def _show_size(size: int) -> PrintedNumber:
    """The size in full, with a binary prefix only if the prefix divides it."""
    number, prefix = in_prefix(size)
    if prefix.endswith("i") and not number.is_integer():
        number, prefix = size, ""
    return PrintedNumber(f"{number:.12g}", f"{prefix}B", PREFIXES[prefix] + r"\byte")


def in_words(size: int) -> str:
    """4 KiB."""
    return _show_size(size).plain


_QUANTITY = re.compile(rf"\\qty\{{({SHORT})\}}\{{(?!\\per\\)((?:\\(?:{'|'.join(SYMBOLS)})(?![a-z]))+)\}}")


def written_out(text: str) -> str:
    """Replace quantities with common units by plain text, on as many lines; siunitx sets long numbers and the rest."""
    return _QUANTITY.sub(lambda typed: rf"\labqty{{{typed[1]}}}{{{escape(plain_unit(typed[2]))}}}", text)
