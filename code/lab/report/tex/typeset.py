"""Claims as LaTeX: a number with its unit, a table cell with its interval, the definitions that \\claim prints."""

from __future__ import annotations

from collections.abc import Iterable
from math import log10

from lab.analysis.estimate import Estimate
from lab.report.claim import Claim, ClaimKind, Ledger
from lab.report.tex.escape import Markup
from lab.report.tex.rounding import last_place
from lab.report.tex.units import PrintedNumber, format_to_place, number_tex, show, show_exactly, significant

NO_INTERVAL = Markup("--")


def shown(claim: Claim, digits: int | None = None) -> PrintedNumber:
    """The number as a text prints it: measured ones as far as the interval goes, chosen ones in full."""
    value = claim.estimate.value
    if digits is not None:
        return show(value, claim.unit, significant(value, digits))
    if claim.kind in (ClaimKind.CONSTANT, ClaimKind.DERIVED):
        return show_exactly(value, claim.unit)
    return show(value, claim.unit, last_place(claim.estimate))


def interval_plain(claim: Claim) -> str:
    """The interval in the claim's own unit, for lists."""
    if claim.estimate.interval is None:
        return ""
    place = last_place(claim.estimate)
    ends = (claim.estimate.interval.low, claim.estimate.interval.high)
    return " to ".join(show(end, claim.unit, place).plain for end in ends)


def interval_tex(claim: Claim) -> Markup:
    """The same for the ledger."""
    if claim.estimate.interval is None:
        return Markup("")
    place = last_place(claim.estimate)
    ends = (claim.estimate.interval.low, claim.estimate.interval.high)
    return Markup(" to ".join(show(end, claim.unit, place).tex for end in ends))


def cell(estimate: Estimate, scale: float = 1.0) -> Markup:
    """`1.05 [1.04, 1.06]` in a table whose head names the unit; without an interval the value alone."""
    place = last_place(estimate) - round(log10(scale))
    value = _number(estimate.value / scale, place)
    if estimate.interval is None:
        return Markup(value)
    low, high = (_number(end / scale, place) for end in (estimate.interval.low, estimate.interval.high))
    return Markup(rf"{value} \labinterval{{{low}, {high}}}")


def bare_cell(claim: Claim, scale: float = 1.0) -> Markup:
    """The value alone, with as many digits as its interval supports."""
    place = last_place(claim.estimate) - round(log10(scale))
    return Markup(_number(claim.estimate.value / scale, place) + mark(claim))


def claim_cell(claim: Claim, scale: float = 1.0) -> Markup:
    """The same of a claim, marked where one of its records warns against its numbers."""
    return Markup(cell(claim.estimate, scale) + mark(claim))


def mark(claim: Claim) -> str:
    """The mark behind a number that the claims check refuses to a text."""
    return r"\labwarned{}" if claim.unchecked else ""


def definitions(ledger: Ledger, uses: Iterable[tuple[str, int | None]]) -> str:
    """The output of \\claim for each use, with or without a number of digits."""
    found = [(name, digits, ledger.find(name)) for name, digits in uses]
    lines = {
        rf"\labclaim{{{name}{'' if digits is None else f'@{digits}'}}}{{{shown(claim, digits).tex}{mark(claim)}}}"
        for name, digits, claim in found
    }
    return "\n".join(sorted(lines)) + "\n"


def _number(value: float, place: int) -> str:
    return number_tex(format_to_place(value, place))
