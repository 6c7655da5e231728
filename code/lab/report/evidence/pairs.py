"""The pairs of throughputs that a report compares."""

from collections.abc import Iterator
from enum import Enum
from itertools import pairwise, product

from lab.experiment.experiment import Experiment, Series
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_lab_program, is_user_program

HANDLING = ("post_list", "signal_every", "nodelay")  # how a program posts its messages


class PairKind(Enum):
    TRANSPORT = "transport"  # another transport of ours
    PEER = "peer"  # a reference tool of the same operation
    USER = "user"  # a program of the experiment
    STEP = "step"  # both are of the experiment: the series before


# Program over program.
COMPARED = (
    ("verbs", "tcp", PairKind.TRANSPORT),
    ("verbs", "ib_write_bw", PairKind.PEER),
    ("verbs", "ib_read_bw", PairKind.PEER),
    ("verbs", "ib_send_bw", PairKind.PEER),
    ("tcp", "iperf3", PairKind.PEER),
)


def pairs(evidence: Evidence) -> list[tuple[Series, Series, PairKind]]:
    """The comparisons for which the experiment has both sides on one link, those of a modelled card first."""
    return sorted(_compared(evidence), key=lambda pair: not pair[0].link.card)


def _compared(evidence: Evidence) -> Iterator[tuple[Series, Series, PairKind]]:
    curves, experiment = evidence.all_series("throughput"), evidence.plan.experiment
    usual = [run for run in curves if not _posts_otherwise(experiment, run)]
    for above, below, sort in COMPARED:
        for ours, base in product(usual, usual):
            if (ours.program, base.program, ours.link) == (above, below, base.link) and (
                sort is PairKind.TRANSPORT or (ours.operation, ours.has_card) == (base.operation, base.has_card)
            ):
                yield ours, base, sort
    own = list(filter(is_user_program, curves))
    for ours, base in product(filter(is_lab_program, curves), own):
        if (ours.link, ours.operation) == (base.link, base.operation):
            yield ours, base, PairKind.USER
    for base, ours in pairwise(own):
        if (base.program, base.link, base.operation) == (ours.program, ours.link, ours.operation):
            yield ours, base, PairKind.STEP


def _posts_otherwise(experiment: Experiment, series: Series) -> bool:
    """Whether the series posts its messages otherwise than the first series of its program on its link."""
    kind = series.program, series.operation, series.measure, series.link
    curves = (run for run in experiment.series if not run.vary)
    first = next((run for run in curves if (run.program, run.operation, run.measure, run.link) == kind), series)
    return any(getattr(first.published, name) != getattr(series.published, name) for name in HANDLING)
