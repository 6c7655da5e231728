"""Tables of rounds: of each size whether they agreed, the round trip, and the throughput with and without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.report.claim import Ledger
from lab.report.claims.rounds import Rounds, rounds_curves, rounds_of
from lab.report.evidence.evidence import Evidence
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import NO_INTERVAL, claim_cell
from lab.report.tex.units import MEGA, MICRO, show


@dataclass(frozen=True)
class RoundTable:
    """The rows of one series: sizes, or the values that it varies."""

    series: Markup  # a name, also in labels
    words: Markup
    link: str
    rows: tuple[tuple[Markup, ...], ...]


def round_tables(evidence: Evidence, ledger: Ledger) -> list[RoundTable]:
    """One table for each series."""
    rows: dict[str, list[tuple[Markup, ...]]] = {}
    curves = {curve.series.name: curve for curve in rounds_curves(evidence)}
    for curve in rounds_curves(evidence):
        rows.setdefault(curve.series.name, []).extend(_row(each, ledger) for each in rounds_of(curve))
    return [
        RoundTable(Markup(name), escape(name if curve.point else curve.words), curve.link, tuple(rows[name]))
        for name, curve in curves.items()
    ]


def _row(each: Rounds, ledger: Ledger) -> tuple[Markup, ...]:
    return (
        Markup(show(each.size, "size", 0).tex),
        Markup(rf"\num{{{each.bytes}}}"),
        *_rounds(each),
        *_rates(each, ledger),
    )


def _rounds(each: Rounds) -> tuple[Markup, Markup]:
    least, most = min(each.counts), max(each.counts)
    counts = str(least) if least == most else f"{least}--{most}"
    return Markup(counts), Markup(f"{each.reached}/{len(each.counts)}")


def _rates(each: Rounds, ledger: Ledger) -> Iterator[Markup]:
    for name, scale in (("control_trip", MICRO), ("share", 1.0), ("plain", MEGA), ("corrected", MEGA)):
        claim = ledger.get(f"{each.name}.{name}")
        yield claim_cell(claim, scale) if claim else NO_INTERVAL
