"""Numbers and units as siunitx prints them, for a page; and their values, to sort by."""

from __future__ import annotations

import re

from lab.report.tex.units import SCALES, PrintedNumber, plain_unit

THIN, SPACE = "\u202f", "\u00a0"  # neither breaks a line
_COMMAND = re.compile(r"\\([a-zA-Z]+)\s*")
_LONG = re.compile(r"^-?\d{5,}")


def number(typed: str) -> str:
    """Digits in groups of three from five on, and a minus sign."""
    found = _LONG.match(typed)
    grouped = f"{int(found[0]):,}".replace(",", THIN) + typed[found.end() :] if found else typed
    return grouped.replace("-", "\N{MINUS SIGN}")


def quantity(typed: str, of: str) -> str:
    return f"{number(typed)}{SPACE}{plain_unit(of)}"


def printed(shown: PrintedNumber) -> str:
    """A claim's number, as the PDF prints it."""
    return quantity(shown.number, shown.tex_unit) if shown.tex_unit else number(shown.number)


def value(typed: str, of: str = "") -> float | None:
    """In the unit without its prefix; nothing of what is no number."""
    first = _COMMAND.match(of)
    scale = SCALES.get(first[1], 1.0) if first else 1.0
    try:
        return float(typed) * scale
    except ValueError:
        return None
