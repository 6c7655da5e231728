"""A straight line in sentences: what it says, whether two follow the times instead, and what it does not know."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from lab.report.claim import Ledger

# Of a correlation of independent residuals, in units of one over the root of the number of sizes (Bartlett, 1946).
SURE = 2.0
# Two rates that differ by less are printed alike.
CLOSE = 0.01


def line_words(name: str, ledger: Ledger) -> Iterator[str]:
    """All sentences about a line, by the name of its claims: `tcp.fit`."""
    yield from rate_words(name, ledger)
    yield from _pattern(name, ledger)


def rate_words(name: str, ledger: Ledger) -> Iterator[str]:
    """What a line says of bytes and messages; or the two that follow the times where it does not."""
    if f"{name}.break" in ledger:
        yield (
            rf"No single line follows these times, so that none gives a rate from \claim{{{name}.low}} to "
            rf"\claim{{{name}.high}}: two lines, which break between \claim{{{name}.break.from}} and "
            rf"\claim{{{name}.break.to}}, leave far less."
        )
        yield from _line("The first line", f"{name}.below", ledger)
        yield from _line("The second line", f"{name}.above", ledger)
    else:
        yield from _line("The line", name, ledger)


def _line(which: str, name: str, ledger: Ledger) -> Iterator[str]:
    yield (
        rf"{which}, from \claim{{{name}.low}} to \claim{{{name}.high}}, has {_slope(name, ledger)} "
        rf"and an intercept of \claim{{{name}.intercept}}{_r_squared(name, ledger)}."
    )
    yield from _beyond(name, ledger)


def _slope(name: str, ledger: Ledger) -> str:
    if f"{name}.rate" in ledger:
        return rf"a slope that stands for \claim{{{name}.rate}}"
    return "a slope that falls with the size and stands for no rate"


def _r_squared(name: str, ledger: Ledger) -> str:
    return rf"; R squared is \claim{{{name}.r2}}" if f"{name}.r2" in ledger else ""


def _beyond(name: str, ledger: Ledger) -> Iterator[str]:
    """A rate beyond all that were measured is said to be so."""
    rate, fastest = ledger.get(f"{name}.rate"), ledger[f"{name}.fastest"].estimate.value
    if rate is None or rate.estimate.value <= fastest:
        return
    most = rf"\claim{{{name}.fastest}}, at \claim{{{name}.fastest.size}}"
    if rate.estimate.value <= fastest * (1 + CLOSE):
        most = rf"hardly less, at \claim{{{name}.fastest.size}}"
    yield (
        "No message was as fast as this slope, which leaves out what a message costs whatever its size: "
        f"the highest rate that was measured is {most}."
    )


def _pattern(name: str, ledger: Ledger) -> Iterator[str]:
    """What is left of a straight line is noise, which knows nothing of its neighbour."""
    if f"{name}.neighbours" not in ledger:
        return
    found, one = ledger[f"{name}.neighbours"].estimate, "one line" if f"{name}.break" in ledger else "it"
    left = rf"What {one} leaves at neighbouring sizes correlates by \claim{{{name}.neighbours}}"
    if found.value > SURE / sqrt(found.n):
        yield f"{left}, where noise would give about none: the times have a shape that is not straight."
    else:
        yield f"{left}, as little as noise does."
