"""The pairs of series that a report compares."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise, product

from lab.experiment.experiment import Experiment, Series
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import COMPLETED, Evidence
from lab.report.evidence.labels import is_ours, is_own

HANDLING = ("post_list", "signal_every", "nodelay")  # how a program posts its messages


class Sort(Enum):
    TRANSPORT = "transport"  # another transport of ours
    PEER = "peer"  # a reference tool of the same operation
    OWN = "own"  # a program of the experiment
    STEP = "step"  # both are of the experiment: the series before
    VARIANT = "variant"  # one side posts its messages otherwise than the first of its program


# Program over program.
COMPARED = (
    ("verbs", "tcp", Sort.TRANSPORT),
    ("verbs", "ib_write_bw", Sort.PEER),
    ("verbs", "ib_read_bw", Sort.PEER),
    ("verbs", "ib_send_bw", Sort.PEER),
    ("tcp", "iperf3", Sort.PEER),
)


@dataclass(frozen=True)
class CurvePair:
    """Two curves over the same sizes of the same link, each by its receiver's time if both programs measure it."""

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
    made = (_pair(evidence, *series) for series in _compared(evidence))
    return tuple(sorted((pair for pair in made if pair.sizes), key=lambda pair: not pair.ours.series.link.card))


def _compared(evidence: Evidence) -> Iterator[tuple[Series, Series, Sort]]:
    curves, experiment = evidence.all_series("throughput"), evidence.plan.experiment
    for above, below, sort in COMPARED:
        for ours, base in product(curves, curves):
            if (ours.program, base.program, ours.link) == (above, below, base.link) and (
                sort is Sort.TRANSPORT or (ours.operation, ours.has_card) == (base.operation, base.has_card)
            ):
                is_variant = _posts_otherwise(experiment, ours) or _posts_otherwise(experiment, base)
                yield ours, base, Sort.VARIANT if is_variant else sort
    own = list(filter(is_own, curves))
    for ours, base in product(filter(is_ours, curves), own):
        if (ours.link, ours.operation) == (base.link, base.operation):
            yield ours, base, Sort.OWN
    for base, ours in pairwise(own):
        if (base.program, base.link, base.operation) == (ours.program, ours.link, ours.operation):
            yield ours, base, Sort.STEP


def _pair(evidence: Evidence, ours: Series, base: Series, sort: Sort) -> CurvePair:
    """Two programs of one operation are compared at the same stop: at the last completion if one of them has no answer
    of its receiver."""
    pair = CurvePair(subject(evidence, ours), subject(evidence, base), sort)
    columns = {pair.ours.column, pair.base.column}
    if len(columns) > 1 and COMPLETED in columns and ours.operation == base.operation:
        alike = CurvePair(replace(pair.ours, column=COMPLETED), replace(pair.base, column=COMPLETED), sort)
        if all(curve.counts(curve.sizes[0]) for curve in (alike.ours, alike.base)):
            return alike
    return pair


def _posts_otherwise(experiment: Experiment, series: Series) -> bool:
    """Whether the series posts its messages otherwise than the first series of its program on its link."""
    kind = series.program, series.operation, series.measure, series.link
    curves = (run for run in experiment.series if not run.vary)
    first = next((run for run in curves if (run.program, run.operation, run.measure, run.link) == kind), series)
    return any(getattr(first.published, name) != getattr(series.published, name) for name in HANDLING)
