"""Colours, markers and numbers in words: what figures share with reports, without loading matplotlib."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log10

from lab.analysis.estimate import Estimate
from lab.model.sizes import in_prefix

GREY, PALE, INK = "#767676", "#d9d9d9", "#000000"
BAND_ALPHA = 0.22

# M. Okabe and K. Ito, "Color Universal Design" (2008), without the yellow, which paper swallows.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
RDMA, TCP = COLOURS[0], COLOURS[1]  # a colour for each transport in every report
OTHERS = (COLOURS[2], COLOURS[3], INK)  # beside them

DIGITS = 3  # significant digits, as many as a reader takes from a picture
THIN_SPACE = "\N{NO-BREAK SPACE}"


def number(value: float, digits: int = DIGITS) -> str:
    """Rounded to significant digits, never with an exponent: 0.00123, 1.23, 12 300."""
    if value == 0:
        return "0"
    places = digits - 1 - floor(log10(abs(value)))
    rounded = round(value, places)
    return f"{rounded:,.{max(places, 0)}f}".replace(",", THIN_SPACE).replace("-", "\N{MINUS SIGN}")


def whole(value: float) -> str:
    """To the last digit before the point: 14 212."""
    return f"{round(value):,}".replace(",", THIN_SPACE).replace("-", "\N{MINUS SIGN}")


def short(value: float) -> str:
    """As on an axis, without zeros that say nothing: 0.001, 1, 10 k, 2 M."""
    for suffix, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= size:
            return f"{value / size:g}{THIN_SPACE}{suffix}".replace("-", "\N{MINUS SIGN}")
    return trim(f"{value:.12f}").replace("-", "\N{MINUS SIGN}")


def size(count: float) -> str:
    """1 B, 1 KiB, 1.5 MiB; decimal where it was chosen so, 16 MB; 4087 B, where 3.991 KiB would be another one."""
    value, prefix = in_prefix(count)
    rounded = f"{value:.4g}"
    if float(count).is_integer() and float(rounded) != value:
        rounded, prefix = f"{count:.0f}", ""
    return f"{rounded}{THIN_SPACE}{prefix}B"


def plain(text: str) -> str:
    """With spaces that every encoding has."""
    return text.replace(THIN_SPACE, " ")


def trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def counts(estimates: Iterable[Estimate], what: str, bands: str) -> str:
    """The n and the bands in words: `n = 5 to 10 repetitions; bands: 95 % intervals of the median`."""
    found = list(estimates)
    least, most = min(each.n for each in found), max(each.n for each in found)
    n = f"n = {least}" if least == most else f"n = {least} to {most}"
    levels = {each.interval.level for each in found if each.interval}
    missing = sum(each.interval is None for each in found)
    if not levels:
        return f"{n} {what}, too few for an interval"
    level = " or ".join(f"{trim(f'{100 * each:.1f}')}{THIN_SPACE}%" for each in sorted(levels))
    rest = f"; none where n is too small ({missing} of {len(found)} points)" if missing else ""
    return f"{n} {what}; {bands}: {level} intervals of the median{rest}"
