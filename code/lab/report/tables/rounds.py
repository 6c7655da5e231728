"""Tables of rounds: of each size whether they agreed, the round trip, and the throughput with and without it."""

from __future__ import annotations

from dataclasses import dataclass

from lab.report.claims.ledger import AllClaims
from lab.report.claims.rounds import RoundClaims, Rounds
from lab.report.tables.rows import size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import NO_INTERVAL, bare_cell, claim_cell
from lab.report.tex.units import MEGA, MICRO


@dataclass(frozen=True)
class RoundTable:
    """The rows of one series: sizes, or the values that it varies."""

    series: Markup  # a name, also in labels
    words: Markup
    link: str
    rows: tuple[tuple[Markup, ...], ...]


def round_tables(claims: AllClaims) -> list[RoundTable]:
    """One table for each series."""
    rows: dict[str, list[tuple[Markup, ...]]] = {}
    curves = {each.curve.series.name: each.curve for each in claims.rounds}
    for each in claims.rounds:
        rows.setdefault(each.curve.series.name, []).extend(map(_row, each.by_size.values()))
    return [
        RoundTable(Markup(name), escape(name if curve.point else curve.words), curve.link, tuple(rows[name]))
        for name, curve in curves.items()
    ]


def _row(found: RoundClaims) -> tuple[Markup, ...]:
    return (
        size_cell(found.rounds.size),
        size_cell(found.rounds.bytes),
        *_rounds(found.rounds),
        claim_cell(found.control_trip, MICRO),
        bare_cell(found.share),
        claim_cell(found.plain, MEGA),
        claim_cell(found.corrected, MEGA) if found.corrected else NO_INTERVAL,
    )


def _rounds(each: Rounds) -> tuple[Markup, Markup]:
    least, most = min(each.counts), max(each.counts)
    counts = str(least) if least == most else f"{least}--{most}"
    return Markup(counts), Markup(f"{each.reached}/{len(each.counts)}")
