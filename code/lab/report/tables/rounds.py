"""Tables of rounds: of each size whether they agreed, the round trip, and the throughput with and without it."""

from __future__ import annotations

from dataclasses import dataclass

from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_median
from lab.report.evidence.evidence import Evidence
from lab.report.tables.rows import size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import IMPOSSIBLE, NO_INTERVAL, answer_cell, bare_cell
from lab.report.tex.units import MEGA, MICRO, NANO, show_exactly
from lab.report.topics.curves import exceeds_link
from lab.report.topics.lines import scaled
from lab.report.topics.rounds import OF_ANSWER, OVERHEADS, Rounds, all_rounds


@dataclass(frozen=True)
class RoundTable:
    """The rows of one series: sizes, or the values that it varies."""

    series: Markup  # a name, also in labels
    words: Markup
    link: str
    overhead: str  # what the correction takes off
    most: str  # how far the interval of the corrected throughput goes
    rows: tuple[tuple[Markup, ...], ...]
    link_rate: Markup  # where a corrected throughput is marked, since it is above this


def round_tables(evidence: Evidence) -> list[RoundTable]:
    """One table for each series."""
    by_series: dict[str, list[Rounds]] = {}
    for rounds in evidence.once(all_rounds):
        by_series.setdefault(rounds.curve.series.name, []).append(rounds)
    return [_table(name, found) for name, found in by_series.items()]


def _table(name: str, found: list[Rounds]) -> RoundTable:
    curve = found[0].curve
    words = escape(name if curve.point else curve.words)
    overhead, most = OVERHEADS.get(curve.series.operation, OF_ANSWER)
    rows, bit_s = tuple(map(_row, found)), curve.series.link.rate_bit_s
    is_marked = any(row[-1].endswith(IMPOSSIBLE) for row in rows)
    link_rate = Markup(show_exactly(bit_s, "bit/s").tex) if bit_s and is_marked else Markup("")
    return RoundTable(Markup(name), words, curve.link, overhead, most, rows, link_rate)


def _row(rounds: Rounds) -> tuple[Markup, ...]:
    answer, size, correction = rounds.curve.answer, rounds.size, rounds.correction()
    return (
        size_cell(size),
        size_cell(rounds.bytes),
        *_counts(rounds),
        answer_cell(answer(scaled(estimate_median(rounds.trips_ns), NANO), "s", size), MICRO),
        bare_cell(answer(scaled(correction.share, 100.0), "percent", size)),
        answer_cell(answer(rounds.plain(), "B/s", size), MEGA),
        _corrected(rounds, correction.rate) if correction.rate else NO_INTERVAL,
    )


def _corrected(rounds: Rounds, rate: Estimate) -> Markup:
    """Marked where it is above the link's rate."""
    shown = answer_cell(rounds.curve.answer(rate, "B/s", rounds.size), MEGA)
    return Markup(shown + IMPOSSIBLE) if exceeds_link(rate, rounds.curve.series.link.rate_bit_s) else shown


def _counts(rounds: Rounds) -> tuple[Markup, Markup]:
    least, most = min(rounds.counts), max(rounds.counts)
    counts = str(least) if least == most else f"{least}--{most}"
    return Markup(counts), Markup(f"{rounds.reached}/{len(rounds.counts)}")
