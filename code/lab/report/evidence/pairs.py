"""Which series are compared with each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from lab.experiment.experiment import Experiment, Series
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import COMPLETED, Evidence
from lab.report.evidence.labels import is_ours, is_own

# Program over program.
TRANSPORTS = (("verbs", "tcp"),)
PEERS = (
    ("verbs", "ib_write_bw"),
    ("verbs", "ib_read_bw"),
    ("verbs", "ib_send_bw"),
    ("tcp", "iperf3"),
)
HANDLING = ("post_list", "signal_every", "nodelay")  # how a program posts its messages


class Sort(Enum):
    """The kind of a base."""

    TRANSPORT = "transport"  # another transport of ours
    PEER = "peer"  # a program that everybody uses, which does the same
    OWN = "own"  # a program that the experiment brings along
    STEP = "step"  # both are of the experiment: the series before
    VARIANT = "variant"  # one side posts its messages otherwise than the first of its program


@dataclass(frozen=True)
class CurvePair:
    """Two curves over the same sizes of the same link, each by its receiver's time where both programs know it."""

    ours: Subject
    base: Subject
    sort: Sort

    @property
    def name(self) -> str:
        return f"{self.ours.series.name}_over_{self.base.series.name}"

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(size for size in self.ours.sizes if size in self.base.sizes)


def pairs(evidence: Evidence) -> tuple[CurvePair, ...]:
    """The comparisons for which the experiment has both sides on one link, those of a modelled card first."""
    return evidence.once(_all_pairs)


def _all_pairs(evidence: Evidence) -> tuple[CurvePair, ...]:
    return tuple(sorted(_pairs(evidence), key=lambda pair: not pair.ours.series.link.card))


def _pairs(evidence: Evidence) -> Iterator[CurvePair]:
    for above, below in TRANSPORTS:
        for ours, base in _series(evidence, above, below):
            yield from _pair(evidence, ours, base, Sort.TRANSPORT)
    for above, below in PEERS:
        for ours, base in _series(evidence, above, below):
            if (ours.operation, ours.has_card) == (base.operation, base.has_card):
                yield from _pair(evidence, ours, base, Sort.PEER)
    yield from _own_pairs(evidence)


def _own_pairs(evidence: Evidence) -> Iterator[CurvePair]:
    """Ours over each series of the experiment's own programs, and each of these over the one before it."""
    curves = evidence.all_series("throughput")
    own = [each for each in curves if is_own(each)]
    for ours in (each for each in curves if is_ours(each)):
        for base in (each for each in own if (each.link, each.operation) == (ours.link, ours.operation)):
            yield from _pair(evidence, ours, base, Sort.OWN)
    for base, ours in pairwise(own):
        if (base.program, base.link, base.operation) == (ours.program, ours.link, ours.operation):
            yield from _pair(evidence, ours, base, Sort.STEP)


def _series(evidence: Evidence, above: str, below: str) -> Iterator[tuple[Series, Series]]:
    curves = evidence.all_series("throughput")
    for ours in curves:
        for base in curves:
            if (ours.program, base.program) == (above, below) and ours.link == base.link:
                yield ours, base


def _pair(evidence: Evidence, ours: Series, base: Series, sort: Sort) -> Iterator[CurvePair]:
    """Two programs of one operation are compared at the same stop: at the last completion where one of them has no
    answer of its receiver."""
    if sort in (Sort.TRANSPORT, Sort.PEER) and any(
        _posts_otherwise(evidence.plan.experiment, each) for each in (ours, base)
    ):
        sort = Sort.VARIANT
    above, below = subject(evidence, ours), subject(evidence, base)
    columns = {above.column, below.column}
    if len(columns) > 1 and COMPLETED in columns and ours.operation == base.operation:
        alike = [Subject(evidence, each, COMPLETED, {}) for each in (ours, base)]
        if all(each.values(each.sizes[0]) for each in alike):
            above, below = alike
    pair = CurvePair(above, below, sort)
    if pair.sizes:
        yield pair


def _posts_otherwise(experiment: Experiment, series: Series) -> bool:
    """Whether the series posts its messages otherwise than the first series of its program on its link."""
    place = series.program, series.operation, series.measure, series.link
    curves = (one for one in experiment.series if not one.vary)
    first = next((one for one in curves if (one.program, one.operation, one.measure, one.link) == place), series)
    return any(getattr(first.published, name) != getattr(series.published, name) for name in HANDLING)
