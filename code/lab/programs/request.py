"""What a program is asked for, what is read from its output, and what a program must be able to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from lab.model.parameters import Counts, Parameters
from lab.model.trial import Ends, Step, StepOutcome
from lab.options.table import Table

DIRECTORY = "/lab/bin"  # where a site puts the programs under test
DEADLINE_S = 120
TRIES = 4  # times of its least time that a size may take: the last try, those before it, and what a busy link adds
SLOW_BYTES_PER_S = 10**9 // 8 // 4  # a quarter of what Ethernet of 1 Gbit/s carries


@dataclass(frozen=True)
class Request:
    """One trial's worth of work, in the order in which the sizes are to run."""

    program: str
    operation: str
    measure: str  # throughput, latency, or ONE_WAY: what each side's own call took
    counts: tuple[Counts, ...]
    parameters: Parameters

    @property
    def deadline_s(self) -> int:
        """As it was given; else long enough for all bytes over a slow link, and for sizes that are measured again since
        they were over too soon: one that stalls is known earlier."""
        if self.parameters.deadline_s != "auto":
            return self.parameters.deadline_s
        slow_s = sum(self.messages(each) * each.size for each in self.counts) // SLOW_BYTES_PER_S
        return max(DEADLINE_S, slow_s + TRIES * self.least_time_s * len(self.counts))

    @property
    def least_time_s(self) -> int:
        """How long each size must last; nothing unless a plan says so."""
        return 0 if self.parameters.least_time_s == "auto" else self.parameters.least_time_s

    def messages(self, counts: Counts) -> int:
        """How many of a size may be sent, timed and not."""
        return self.rounds_most * counts.iterations + counts.warmup

    @property
    def rounds_least(self) -> int:
        """How often the timed messages of a size are sent even if all rounds agree."""
        return self.parameters.round_limits.window if self.parameters.until_stable else 1

    @property
    def rounds_most(self) -> int:
        """How often the timed messages of a size may be sent."""
        return self.parameters.round_limits.cap if self.parameters.until_stable else 1


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


# What a person writes; anything else in the folder can be made from it.
ANY_SOURCE = ("*.c", "*.h", "*.cc", "*.cpp", "*.hpp", "*.md", "*.txt", "Makefile")


@dataclass(frozen=True)
class Build:
    """The command that makes the programs under test, where it is run, and which files there are the author's own."""

    command: tuple[str, ...]
    folder: Path
    sources: tuple[str, ...] = ANY_SOURCE  # patterns of paths in the folder

    def is_source(self, path: str) -> bool:
        """Whether a file of the folder is handed in."""
        return any(fnmatchcase(path, pattern) for pattern in self.sources)


@dataclass(frozen=True)
class Program:
    """A pair of programs, how they are started, and how their output is read."""

    name: str
    abilities: frozenset[tuple[str, str]]  # (operation, measure)
    steps: Callable[[Request, Ends], tuple[Step, ...]]
    parse: Callable[[Request, tuple[StepOutcome, ...]], Reading]
    binaries: tuple[Path, ...] = ()  # programs under test, put at DIRECTORY on the site
    build: Build | None = None  # what makes the binaries, where `make build` does not
    engine: bool = False  # it is of code/bench: windows, rounds, and its rules
    prints_samples: bool = False  # the lab's CSV, which a record keeps apart from the talk
    both_spin: bool = False  # client and server busy-wait whatever they are told
    same_counts: bool = False  # its command names iterations and warm-up once, for all sizes
    rdma: bool = False  # needs an RDMA device
    uses: frozenset[str] = frozenset()  # parameters that change its commands
    table: Table | None = None  # what it says of its options, where it is one of code/bench
    reading: str = ""  # how the output is read, where an experiment's file says so: a part of the key


ONE_WAY = "one-way"
SUMMARIES = ("completed", "confirmed")
WINDOW = "window"  # from the start of a size to some of its messages
SETTLED = {"settled": "yes", "unsettled": "no"}  # the rounds that were looked at last, and whether they agreed
