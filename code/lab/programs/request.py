"""What a program is asked for, what is read from its output, and what a program must be able to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.parameters import Counts, Parameters
from lab.trial import Ends, Step, StepOutcome


@dataclass(frozen=True)
class Request:
    """One trial's worth of work, in the order in which the sizes are to run."""

    program: str
    operation: str
    measure: str  # throughput or latency
    counts: tuple[Counts, ...]
    parameters: Parameters


@dataclass(frozen=True)
class Sample:
    """One row of a record: so many messages of one size took so long."""

    size_bytes: int
    sample: str  # a window or round, what they come to (see below), or a round trip of some kind
    index: int
    messages: int
    bytes: int
    time_ns: int


@dataclass(frozen=True)
class Reading:
    """All that a parser found in the output of one trial."""

    header: dict[str, str]
    samples: tuple[Sample, ...]


@dataclass(frozen=True)
class Program:
    """A pair of programs, how they are started, and how their output is read."""

    name: str
    abilities: frozenset[tuple[str, str]]  # (operation, measure)
    steps: Callable[[Request, Ends], tuple[Step, ...]]
    parse: Callable[[Request, tuple[StepOutcome, ...]], Reading]
    binaries: tuple[str, ...] = ()  # programs under test, built by code/bench
    both_spin: bool = False  # client and server busy-wait whatever they are told
    rdma: bool = False  # needs an RDMA device
    uses: frozenset[str] = frozenset()  # parameters that change its commands


SUMMARIES = ("completed", "confirmed")
SETTLED = {"settled": "yes", "unsettled": "no"}  # the rounds that were looked at last, and whether they agreed
