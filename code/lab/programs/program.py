"""The description of a program: its commands, its traits, and how its output is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from lab.errors import ParseError
from lab.model.parameters import Counts, Parameters
from lab.model.trial import Ends, Step, StepOutcome
from lab.options import Table

ONE_WAY = "one-way"
UNREAD = "unread_"  # begins the names in a header of sizes whose number could not be read
SUMMARIES = ("completed", "confirmed")
WINDOW = "window"  # from the start of a size to some of its messages
ENDS = ("client", "server")  # of MPI, rank 0 and rank 1
# What the timed messages of a size took of each end's processor, and the part of it in the kernel.
PROCESSOR = {end: (f"{end}_processor", f"{end}_kernel") for end in ENDS}
SETTLED = {"settled": "yes", "unsettled": "no"}  # the last window of rounds, and whether they agreed

DEADLINE_S = 120
TRIES = 4  # a size may take so many times its least time: the last try, earlier ones, and a busy link
SLOW_BYTES_PER_S = 10**9 // 8 // 4  # a quarter of what Ethernet of 1 Gbit/s carries


@dataclass(frozen=True)
class Request:
    """One trial's worth of work, in the order in which the sizes are to run."""

    program: str
    operation: str
    measure: str  # throughput, latency, or ONE_WAY: the time of each side's own call
    counts: tuple[Counts, ...]
    parameters: Parameters

    @property
    def deadline_s(self) -> int:
        """The given deadline, else one for all bytes over a slow link and for repeated sizes that ended too soon. The
        programs' own deadline finds a stall earlier."""
        if self.parameters.deadline_s != "auto":
            return self.parameters.deadline_s
        slow_s = sum(self.messages(each) * each.size for each in self.counts) // SLOW_BYTES_PER_S
        return max(DEADLINE_S, slow_s + TRIES * self.least_time_s * len(self.counts))

    @property
    def least_time_s(self) -> int:
        """The least time of each size; 0 unless a plan sets it."""
        return 0 if self.parameters.least_time_s == "auto" else self.parameters.least_time_s

    @property
    def sizes_option(self) -> str:
        """The sizes as Verbyte's programs take them: `64@1000/10` for 1000 messages of 64 bytes after 10 to warm up."""
        return ",".join(f"{counts.size}@{counts.iterations}/{counts.warmup}" for counts in self.counts)

    def messages(self, counts: Counts) -> int:
        return self.rounds_most * counts.iterations + counts.warmup

    @property
    def rounds_least(self) -> int:
        """The least number of rounds of a size."""
        return self.parameters.round_limits.window if self.parameters.until_stable else 1

    @property
    def rounds_most(self) -> int:
        return self.parameters.round_limits.cap if self.parameters.until_stable else 1


@dataclass(frozen=True)
class Sample:
    """One row of a record: a number of messages of one size, and their time."""

    size_bytes: int
    sample: str  # a window, a round, a summary of them (see below), or a kind of round trip
    index: int
    messages: int
    bytes: int
    time_ns: int


@dataclass(frozen=True)
class Reading:
    header: dict[str, str]
    samples: tuple[Sample, ...]
    rounded: Mapping[int, float] = field(default_factory=dict)  # by size: how many times as long it may have taken


Steps = Callable[[Request, Ends], tuple[Step, ...]]
SizeStep = Callable[[Request, Ends, Counts, int], Step]  # the last is a port
Parse = Callable[[Request, tuple[StepOutcome, ...]], Reading]

# Files that people write; the build makes all others in the folder.
ANY_SOURCE = ("*.c", "*.h", "*.cc", "*.cpp", "*.hpp", "*.md", "*.txt", "Makefile")


@dataclass(frozen=True)
class Build:
    """The command that makes the programs under test, its folder, and the author's own files there."""

    command: tuple[str, ...]
    folder: Path
    sources: tuple[str, ...] = ANY_SOURCE  # patterns of paths in the folder

    def is_source(self, path: str) -> bool:
        """Whether a file of the folder is handed in."""
        return any(fnmatchcase(path, pattern) for pattern in self.sources)


@dataclass(frozen=True)
class Program:
    """A pair of programs, how they are started, and how their output is read.

    The harness asks a program for its traits, never for its name.
    """

    name: str
    abilities: frozenset[tuple[str, str]]  # (operation, measure)
    steps: Steps
    parse: Parse
    binaries: tuple[Path, ...] = ()  # programs under test, put at DIRECTORY on the site
    build: Build | None = None  # makes the binaries, where `make build` does not
    engine: bool = False  # it is of code/bench: windows, rounds, and its rules
    prints_samples: bool = False  # Verbyte's CSV, which a record keeps apart from other output
    both_spin: bool = False  # client and server always busy-wait
    same_counts: bool = False  # its command names iterations and warm-up once, for all sizes
    rdma: bool = False  # needs an RDMA device
    uses: frozenset[str] = frozenset()  # parameters that change its commands
    table: Table | None = None  # its options, where it is one of code/bench
    reading: str = ""  # the output's format in an experiment's file: a part of the key
    launched: bool = False  # by an MPI launcher, so that no site can shut it in
    silent: bool = False  # nothing of its output is read: it only must work
    loops: bool = False  # it goes through sizes of its own choice: its command names none
    one_size: bool = False  # neither its command nor its output names a size
    whole_lists: bool = False  # it posts only whole post lists: peer_post_list must divide the iterations
    largest_bytes: int | None = None  # of a message, where the program has a limit


def steps_per_size(step: SizeStep, port: int) -> Steps:
    """A pair of processes for each size, each pair on its own port."""
    return partial(_steps, step, port)  # plans are pickled, so no closure


def _steps(step: SizeStep, port: int, request: Request, ends: Ends) -> tuple[Step, ...]:
    return tuple(step(request, ends, counts, port + index) for index, counts in enumerate(request.counts))


def outputs_per_size(request: Request, outcomes: tuple[StepOutcome, ...]) -> Iterator[tuple[Counts, str]]:
    if len(outcomes) != len(request.counts):
        raise ParseError(f"{len(outcomes)} outputs for {len(request.counts)} sizes", where=request.program)
    return zip(request.counts, (outcome.client_out for outcome in outcomes), strict=True)
