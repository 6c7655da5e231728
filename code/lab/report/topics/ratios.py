"""One series over another on the same link: ratios of median throughputs, and of median round trips."""

from __future__ import annotations

from dataclasses import dataclass

from lab.analysis.ratios import ratio_of_medians
from lab.report.answer import Answer
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.pairs import CurvePair, Sort, pairs


@dataclass(frozen=True)
class PairRatios:
    """A pair of curves with their ratio at every size that both have."""

    pair: CurvePair
    by_size: dict[int, Answer]


def pair_ratios(evidence: Evidence, *sorts: Sort) -> tuple[PairRatios, ...]:
    """The throughput of every pair of these sorts."""
    return tuple(ratios for ratios in evidence.once(_pair_ratios) if ratios.pair.sort in sorts)


def _pair_ratios(evidence: Evidence) -> tuple[PairRatios, ...]:
    return tuple(
        PairRatios(pair, {size: ratio(pair.ours, pair.base, size) for size in pair.sizes}) for pair in pairs(evidence)
    )


def ratio(curve: Subject, base: Subject, size: int) -> Answer:
    """A curve's median over that of its base; n is that of the side with fewer repetitions."""
    keys = (*curve.cell(size).keys, *base.cell(size).keys)
    estimate = ratio_of_medians(curve.values(size), base.values(size))
    return Answer(estimate, "", keys, unchecked=curve.evidence.unchecked(keys))
