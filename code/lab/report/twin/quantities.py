"""Numbers and units as siunitx prints them, for a page; and their values, to sort by."""

from __future__ import annotations

import re

from lab.report.tex.units import PrintedNumber

THIN, SPACE = "\u202f", "\u00a0"  # neither breaks a line
PREFIXES = {
    **{"kilo": ("k", 1e3), "mega": ("M", 1e6), "giga": ("G", 1e9), "kibi": ("Ki", 2.0**10), "mebi": ("Mi", 2.0**20)},
    **{"gibi": ("Gi", 2.0**30), "milli": ("m", 1e-3), "micro": ("µ", 1e-6), "nano": ("n", 1e-9)},
}
UNITS = {"byte": "B", "bit": "bit", "second": "s", "percent": "%", "per": "/", "hertz": "Hz", "messages": "messages"}
_COMMAND = re.compile(r"\\([a-zA-Z]+)\s*")
_LONG = re.compile(r"^-?\d{5,}")


def number(typed: str) -> str:
    """Digits in groups of three from five on, and a minus sign."""
    found = _LONG.match(typed)
    grouped = f"{int(found[0]):,}".replace(",", THIN) + typed[found.end() :] if found else typed
    return grouped.replace("-", "\N{MINUS SIGN}")


def unit(typed: str) -> str:
    r"""`\mega\byte\per\second` as MB/s."""
    known = {name: written for name, (written, _) in PREFIXES.items()} | UNITS
    return _COMMAND.sub(lambda found: known.get(found[1], found[1]), typed)


def quantity(typed: str, of: str) -> str:
    return f"{number(typed)}{SPACE}{unit(of)}"


def printed(shown: PrintedNumber) -> str:
    """A claim's number, as the PDF prints it."""
    return quantity(shown.number, shown.tex_unit) if shown.tex_unit else number(shown.number)


def value(typed: str, of: str = "") -> float | None:
    """In the unit without its prefix; nothing of what is no number."""
    first = _COMMAND.match(of)
    scale = PREFIXES.get(first[1], ("", 1.0))[1] if first else 1.0
    try:
        return float(typed) * scale
    except ValueError:
        return None
