"""A straight line in sentences: its claims, whether two lines fit better, and its limits."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from lab.report.claims.lines import BreakClaims, FitClaims, LineClaims
from lab.report.prose.uses import cite

# The bound of a correlation of independent residuals, times the root of the number of sizes (Bartlett, 1946).
SURE = 2.0
# Two rates that differ by less are printed alike.
CLOSE = 0.01


def line_words(fit: FitClaims) -> Iterator[str]:
    """All sentences about a line."""
    yield from rate_words(fit, "these times")
    yield from _pattern(fit)


def rate_words(fit: FitClaims, times: str) -> Iterator[str]:
    """The rate and intercept of a line through some times, or of the two lines that fit them better."""
    if fit.broken is None:
        yield from _line(f"The line through {times}", fit.line)
        return
    within = ""
    if fit.broken.start and fit.broken.end:
        within = f", which break between {cite(fit.broken.start)} and {cite(fit.broken.end)}"
    yield (
        f"No single line follows {times}, so that none gives a rate from {cite(fit.line.low)} to "
        f"{cite(fit.line.high)}: two lines{within}, leave far less."
    )
    yield _at_break(fit.broken)
    yield from _line("The first line", fit.broken.below)
    yield from _line("The second line", fit.broken.above)


def _at_break(found: BreakClaims) -> str:
    """The times on both sides of the break."""
    change = f"from {cite(found.below.high)} to {cite(found.above.low)}, the time of a message"
    if found.after.estimate.value < found.before.estimate.value:
        return (
            f"There, {change} falls from {cite(found.before)} to {cite(found.after)}, although the message is larger."
        )
    return f"There, {change} grows from {cite(found.before)} to {cite(found.after)}."


def _line(which: str, line: LineClaims) -> Iterator[str]:
    r_squared = f"; R squared is {cite(line.r_squared)}" if line.r_squared else ""
    yield (
        f"{which}, from {cite(line.low)} to {cite(line.high)}, has {_slope(line)} "
        f"and an intercept of {cite(line.intercept)}{r_squared}."
    )
    yield from _beyond(line)


def _slope(line: LineClaims) -> str:
    if line.rate:
        return f"a slope that stands for {cite(line.rate)}"
    return "a slope that falls with the size and stands for no rate"


def _beyond(line: LineClaims) -> Iterator[str]:
    """A rate beyond all that were measured is said to be so."""
    fastest = line.fastest.estimate.value
    if line.rate is None or line.rate.estimate.value <= fastest:
        return
    most = f"{cite(line.fastest)}, at {cite(line.fastest_size)}"
    if line.rate.estimate.value <= fastest * (1 + CLOSE):
        most = f"hardly less, at {cite(line.fastest_size)}"
    yield (f"No message was as fast: the highest rate that was measured is {most}.")


def _pattern(fit: FitClaims) -> Iterator[str]:
    """Residuals of a straight line are noise: neighbours do not correlate."""
    found = fit.line.neighbours
    if found is None:
        return
    left = f"What {'one line' if fit.broken else 'it'} leaves at neighbouring sizes correlates by {cite(found)}"
    if found.estimate.value > SURE / sqrt(found.estimate.n):
        yield f"{left}, where noise would give about none: the times have a shape that is not straight."
    else:
        yield f"{left}, no more than noise would."
