"""What is laid beside what: our programs over each other and over the peers, on one link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.report.evidence import COMPLETED, CONFIRMED, Evidence
from lab.report.measured import Subject
from lab.spec import Series


@dataclass(frozen=True)
class Pair:
    """Two curves over the same sizes of the same link, by the stricter stop time that both programs know."""

    ours: Subject
    base: Subject
    is_peer: bool  # the base does the same with a program that is not ours

    @property
    def name(self) -> str:
        return f"{self.ours.series.name}_over_{self.base.series.name}"

    @property
    def picture(self) -> str:
        """The figure that shows it: all peers stand in one."""
        return "peers" if self.is_peer else f"speedup.{self.name}"

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(size for size in self.ours.sizes if size in self.base.sizes)


# Program over program: one line each.
TRANSPORTS = (("verbs", "tcp"), ("verbs", "mpi"), ("mpi", "tcp"))
PEERS = (
    ("verbs", "ib_write_bw", COMPLETED),
    ("verbs", "ib_read_bw", COMPLETED),
    ("verbs", "ib_send_bw", COMPLETED),
    ("tcp", "iperf3", CONFIRMED),
)


def pairs(evidence: Evidence) -> Iterator[Pair]:
    """The comparisons for which the experiment has both sides on one link."""
    for above, below in TRANSPORTS:
        for ours, base in _series(evidence, above, below):
            yield from _pair(evidence, ours, base, CONFIRMED, is_peer=False)
    for above, below, column in PEERS:
        for ours, base in _series(evidence, above, below):
            if ours.operation == base.operation:
                yield from _pair(evidence, ours, base, column, is_peer=True)


def _series(evidence: Evidence, above: str, below: str) -> Iterator[tuple[Series, Series]]:
    curves = evidence.all_series("throughput")
    for ours in curves:
        for base in curves:
            if (ours.program, base.program) == (above, below) and ours.link == base.link:
                yield ours, base


def _pair(evidence: Evidence, ours: Series, base: Series, column: str, *, is_peer: bool) -> Iterator[Pair]:
    pair = Pair(Subject(evidence, ours, column, {}), Subject(evidence, base, column, {}), is_peer)
    if pair.sizes:
        yield pair
