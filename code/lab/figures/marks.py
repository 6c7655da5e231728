"""Colours, markers and formats of numbers, shared with reports; nothing here loads matplotlib."""

from math import floor, log10

from lab.model.sizes import in_prefix

GREY, PALE, INK = "#767676", "#d9d9d9", "#000000"
# M. Okabe and K. Ito, "Color Universal Design" (2008), without yellow, which is hard to see on paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
RDMA, TCP = COLOURS[0], COLOURS[1]  # a colour for each transport in every report
OTHERS = (COLOURS[2], COLOURS[3], INK)  # of other series

TEXT_PT, SMALL_PT = 9.0, 8.0
LINE_MM = 3.6  # of small text, from one line's foot to the next

DIGITS = 3  # significant digits
THIN_SPACE, MINUS = "\N{NO-BREAK SPACE}", "\N{MINUS SIGN}"
UNITS = {  # the units of an axis, the largest first
    "rate": ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")),
    "messages": ((1e6, "million/s"), (1e3, "thousand/s"), (1.0, "/s")),
    "time": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
}


def number(value: float) -> str:
    """Rounded to significant digits, never with an exponent: 0.00123, 1.23, 12 300."""
    if value == 0:
        return "0"
    places = DIGITS - 1 - floor(log10(abs(value)))
    rounded = round(value, places)
    return f"{rounded:,.{max(places, 0)}f}".replace(",", THIN_SPACE).replace("-", MINUS)


def whole(value: float) -> str:
    """To the last digit before the point: 14 212."""
    return f"{round(value):,}".replace(",", THIN_SPACE).replace("-", MINUS)


def short(value: float) -> str:
    """As on an axis, without trailing zeros: 0.001, 1, 10 k, 2 M."""
    for suffix, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= scale:
            return f"{value / scale:g}{THIN_SPACE}{suffix}".replace("-", MINUS)
    return trim(f"{value:.12f}").replace("-", MINUS)


def with_unit(value: float, kind: str) -> str:
    """A value in the unit that leaves a digit before the point."""
    if kind not in UNITS:
        return number(value)
    if value == 0:
        return "0"
    scale, unit = next((step for step in UNITS[kind] if abs(value) >= step[0] * (1 - 1e-9)), UNITS[kind][-1])
    return f"{float(f'{value / scale:.{DIGITS}g}'):g}{THIN_SPACE}{unit}".replace("-", MINUS)


def size(count: float) -> str:
    """1 B, 1 KiB, 1.5 MiB, or 16 MB if the size is a round decimal number; 4087 B, which 3.991 KiB is not exactly."""
    value, prefix = in_prefix(count)
    rounded = f"{value:.4g}"
    if float(count).is_integer() and float(rounded) != value:
        rounded, prefix = f"{count:.0f}", ""
    return f"{rounded}{THIN_SPACE}{prefix}B"


def plain(text: str) -> str:
    """With spaces that every encoding has."""
    return text.replace(THIN_SPACE, " ")


def trim(text: str) -> str:
    """A decimal number without trailing zeros."""
    return text.rstrip("0").rstrip(".") if "." in text else text
