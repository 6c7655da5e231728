"""Tables of each end's own calls: size by size, and the few rows of the published report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from lab.analysis.verdict import apart
from lab.model.sizes import format_size
from lab.report.claim import Claim, Ledger
from lab.report.claims.published_values import PublishedValues, published_values
from lab.report.claims.sides import Side, probed, series_of_sides, sides
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import label
from lab.report.tables.by_size import RowTable
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import claim_cell
from lab.report.tex.units import MEGA, MICRO, show
from lab.spec.experiment import Series

ABSENT = {"knee": Markup("none"), "above": Markup("--")}
ROWS = (("below", "latency", MICRO), ("knee", "buffer_size", 1.0), ("above", "bandwidth", MEGA))
WORDS = {
    "below": r"mean below the knee, \unit{\micro\second}",
    "knee": r"knee, \unit{\byte}",
    "above": r"1/slope above it, \unit{\mega\byte\per\second}",
}


@dataclass(frozen=True)
class SideTable:
    """One table of a series; the name tells it from the others."""

    name: Markup
    words: str
    table: RowTable


def size_tables(evidence: Evidence, ledger: Ledger) -> list[SideTable]:
    """Mean, deviation and median of every size, a table for each end of each series."""
    return [
        SideTable(Markup(f"{found[0].curve.series.name}.{found[0].side}"), _both(found[0]), _by_size(found, ledger))
        for series in series_of_sides(evidence)
        for found in _by_side(evidence, series)
    ]


def _both(side: Side) -> str:
    """Which end of which series, whatever the calls."""
    return f"{side.side} of {label(side.curve.series)}"


def _by_side(evidence: Evidence, series: Series) -> Iterator[list[Side]]:
    """The curves of one end, all varied values."""
    found = list(sides(evidence, series))
    for side in dict.fromkeys(each.side for each in found):
        yield [each for each in found if each.side == side]


def _by_size(found: list[Side], ledger: Ledger) -> RowTable:
    heads = tuple(
        Markup(rf"\labhead{{{escape(each.variant)}}}{{{kind}}}")
        for each in found
        for kind in ("mean", "deviation", "median")
    )
    rows = tuple(
        (Markup(show(size, "size", 0).tex), *(_cell(each) for each in _claims(found, size, ledger)))
        for size in found[0].curve.sizes
    )
    return RowTable(heads, rows, (found[0].curve.series.name,))


def _cell(claim: Claim) -> Markup:
    """A deviation stands there without its interval, which would make the table too wide."""
    estimate, alone = claim.estimate, claim.name.endswith(".deviation")
    return claim_cell(replace(claim, estimate=replace(estimate, interval=None)) if alone else claim, MICRO)


def _claims(found: Iterable[Side], size: int, ledger: Ledger) -> Iterator[Claim]:
    for each in found:
        yield from (ledger[f"{each.name}.{format_size(size)}.{kind}"] for kind in ("mean", "deviation", "median"))


def published_rows(evidence: Evidence, ledger: Ledger) -> list[SideTable]:
    """The rows of the published report for each series: both calls, whether they differ, and what was published."""
    return [
        SideTable(Markup(series.name), label(series), _rows(list(sides(evidence, series)), ledger, theirs))
        for series in series_of_sides(evidence)
        for theirs in published_values(evidence.plan.experiment.name)
    ]


def _rows(found: list[Side], ledger: Ledger, theirs: PublishedValues) -> RowTable:
    rows = []
    for kind, published, scale in ROWS:
        for side in dict.fromkeys(each.side for each in found):
            claims = [ledger.get(f"{each.name}.{kind}") for each in found if each.side == side]
            ours = (claim_cell(claim, scale) if claim else ABSENT[kind] for claim in claims)
            values = (_exactly(theirs.claim(f"{side}_{published}", each), scale) for each in theirs.variants)
            said = verdict(claims, found[0].curve.margin)
            rows.append((Markup(f"{side}: {WORDS[kind]}"), *ours, Markup(said), *values))
    variants = (escape(each.variant) for each in found if each.side == found[0].side)
    others = (Markup(rf"\labhead{{published}}{{{escape(each)}}}") for each in theirs.variants)
    heads = (*variants, Markup("differ"), *others)
    return RowTable(heads, tuple(rows), (found[0].curve.series.name,))


def _exactly(claim: Claim, scale: float) -> Markup:
    """A published number, to the digits that were published."""
    return Markup(rf"\num{{{claim.estimate.value / scale:.12g}}}")


def verdict(claims: Iterable[Claim | None], margin: float = 0.0) -> str:
    """Whether a gap wider than the margin lies between two intervals; without both of them the data can't tell."""
    estimates = [claim.estimate for claim in claims if claim]
    return "yes" if len(estimates) == 2 and apart(estimates[0], estimates[1], margin) else "can't tell"


def probe_tables(evidence: Evidence, ledger: Ledger) -> list[SideTable]:
    """Of each series, a row for each curve, a column for each size that was probed by a byte less and a byte more."""
    return [
        SideTable(Markup(series.name), label(series), _probes(list(sides(evidence, series)), ledger))
        for series in series_of_sides(evidence)
    ]


def _probes(found: list[Side], ledger: Ledger) -> RowTable:
    sizes = probed(found[0])
    rows = tuple(
        (
            escape(f"{each.side}, {each.variant}"),
            *(claim_cell(ledger[f"{each.name}.{format_size(size)}.step"]) for size in sizes),
        )
        for each in found
    )
    return RowTable(tuple(Markup(show(size, "size", 0).tex) for size in sizes), rows, (found[0].curve.series.name,))
