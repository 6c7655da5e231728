"""One series over another on the same link: ratios of median throughputs, and of median round trips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.analysis.ratios import ratio_of_medians
from lab.report.answer import Answer
from lab.report.evidence.curve import Subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.links import by_link
from lab.report.evidence.pairs import TRANSPORTS, CurvePair, Sort, pairs
from lab.report.topics.latency import is_fetch, round_trips
from lab.spec.experiment import Series

# The lab's program over the reference tool that does the same.
LATENCY_PEERS = (("verbs", "ib_write_lat"), ("verbs", "ib_send_lat"), ("verbs", "ib_read_lat"), ("tcp", "qperf"))


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


def speeds(evidence: Evidence) -> tuple[PairRatios, ...]:
    """How many times as fast as its base a series of the lab is, by round trips; a modelled card's link comes first."""
    groups = by_link(evidence.all_series("latency"))
    found = (pair for group in groups for pair in _latency_pairs(evidence, group.series))
    return tuple(PairRatios(pair, {size: ratio(pair.base, pair.ours, size) for size in pair.sizes}) for pair in found)


def _latency_pairs(evidence: Evidence, group: tuple[Series, ...]) -> Iterator[CurvePair]:
    for series in group:
        for base in group:
            programs = series.program, base.program
            alike = (series.operation, series.has_card) == (base.operation, base.has_card)
            is_peer = programs in LATENCY_PEERS and (alike or not series.tool.rdma)
            sort = Sort.PEER if is_peer else Sort.TRANSPORT
            pair = CurvePair(round_trips(evidence, series), round_trips(evidence, base), sort)
            is_of_a_kind = is_fetch(series) == is_fetch(base)  # a READ's trip carries the data one way only
            if (is_peer or programs in TRANSPORTS) and is_of_a_kind and pair.sizes:
                yield pair
