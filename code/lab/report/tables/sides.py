"""Tables of each end's own calls: size by size, and the few rows of the published report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from lab.analysis.verdict import apart
from lab.report.claim import Claim
from lab.report.claims.ledger import AllClaims
from lab.report.claims.published_values import PublishedValues
from lab.report.claims.sides import CallClaims, SideClaims
from lab.report.evidence.labels import label
from lab.report.tables.rows import RowTable, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import NO_INTERVAL, claim_cell
from lab.report.tex.units import MEGA, MICRO, number_tex


@dataclass(frozen=True)
class PublishedRow:
    """A row of the published report: our name, their value, its scale, and what stands where we have no value."""

    of: Callable[[SideClaims], Claim | None]
    words: str
    published: str
    scale: float
    absent: Callable[[SideClaims], Markup] = lambda _: NO_INTERVAL


def _no_knee(side: SideClaims) -> Markup:
    """Where the time leaps, the two sizes between which it does."""
    return Markup(f"step, {side.leap.below} to {side.leap.above}") if side.leap else Markup("none")


ROWS = (
    PublishedRow(lambda side: side.below, r"mean below the knee, \unit{\micro\second}", "latency", MICRO),
    PublishedRow(lambda side: side.knee, r"knee, \unit{\byte}", "buffer_size", 1.0, _no_knee),
    PublishedRow(lambda side: side.above, r"1/slope above it, \unit{\mega\byte\per\second}", "bandwidth", MEGA),
)


@dataclass(frozen=True)
class SideTable:
    """One table of a series; the name tells it from the others."""

    name: Markup
    words: str
    table: RowTable


def size_tables(claims: AllClaims) -> list[SideTable]:
    """Mean, deviation and median of every size, a table for each end of each series."""
    return [
        SideTable(Markup(f"{name}.{end}"), f"{end} of {label(found[0].side.curve.series)}", _by_size(name, found))
        for name, sides in claims.sides.items()
        for end, found in by_end(sides).items()
    ]


def by_end(sides: Iterable[SideClaims]) -> dict[str, list[SideClaims]]:
    """The curves of each end, all varied values."""
    found: dict[str, list[SideClaims]] = {}
    for each in sides:
        found.setdefault(each.side.side, []).append(each)
    return found


def _by_size(series: str, found: list[SideClaims]) -> RowTable:
    heads = tuple(
        Markup(rf"\labhead{{{escape(each.side.variant)}}}{{{kind}}}")
        for each in found
        for kind in ("mean", "deviation", "median")
    )
    rows = tuple(
        (size_cell(size), *(cell for each in found for cell in _cells(each.by_size[size]))) for size in found[0].by_size
    )
    return RowTable(heads, rows, (series,))


def _cells(call: CallClaims) -> Iterator[Markup]:
    """Only the mean has its interval there, since the table would be too wide; all are attached."""
    alone = (replace(each, estimate=replace(each.estimate, interval=None)) for each in (call.deviation, call.median))
    yield from (claim_cell(each, MICRO) for each in (call.mean, *alone))


def published_rows(claims: AllClaims) -> list[SideTable]:
    """The rows of the published report for each series: both calls, whether they differ, and the published value."""
    return [
        SideTable(Markup(name), label(found[0].side.curve.series), _rows(name, found, theirs))
        for name, found in claims.sides.items()
        for theirs in claims.published_values
    ]


def _rows(series: str, found: tuple[SideClaims, ...], theirs: PublishedValues) -> RowTable:
    ends = by_end(found)
    rows = tuple(_row(row, end, sides, theirs) for row in ROWS for end, sides in ends.items())
    variants = (escape(each.side.variant) for each in next(iter(ends.values())))
    others = (Markup(rf"\labhead{{published}}{{{escape(each)}}}") for each in theirs.variants)
    return RowTable((*variants, Markup("differ"), *others), rows, (series,))


def _row(row: PublishedRow, end: str, sides: list[SideClaims], theirs: PublishedValues) -> tuple[Markup, ...]:
    claims = [row.of(each) for each in sides]
    pairs = zip(claims, sides, strict=True)
    ours = (claim_cell(claim, row.scale) if claim else row.absent(side) for claim, side in pairs)
    differ = verdict(claims, sides[0].side.curve.margin) if all(claims) else NO_INTERVAL
    values = (_exactly(theirs.claims[f"{end}_{row.published}", each], row.scale) for each in theirs.variants)
    return (Markup(f"{end}: {row.words}"), *ours, differ, *values)


def _exactly(claim: Claim, scale: float) -> Markup:
    """A published number, to the digits that were published."""
    return Markup(number_tex(f"{claim.estimate.value / scale:.12g}"))


def verdict(claims: Iterable[Claim | None], margin: float = 0.0) -> Markup:
    """Whether a gap lies between two intervals, and whether it is wider than the margin; without both of them the data
    can't tell."""
    estimates = [claim.estimate for claim in claims if claim]
    if len(estimates) != 2 or not apart(estimates[0], estimates[1]):
        return Markup("can't tell")
    if apart(estimates[0], estimates[1], margin):
        return Markup("yes")
    return Markup(rf"under \qty{{{100 * margin:g}}}{{\percent}}")


def probe_tables(claims: AllClaims) -> list[SideTable]:
    """A row for each curve of a series, a column for each size that was probed by a byte less and a byte more."""
    return [
        SideTable(Markup(name), label(found[0].side.curve.series), _probes(name, found))
        for name, found in claims.sides.items()
    ]


def _probes(series: str, found: tuple[SideClaims, ...]) -> RowTable:
    rows = tuple(
        (escape(f"{each.side.side}, {each.side.variant}"), *map(claim_cell, each.steps.values())) for each in found
    )
    return RowTable(tuple(map(size_cell, found[0].steps)), rows, (series,))
