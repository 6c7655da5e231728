"""The description of a program: its commands, its traits, and the reader of its output."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from lab.errors import ParseError, plural
from lab.model.parameters import Counts, Parameters
from lab.model.trial import Ends, Step, StepOutcome
from lab.options import Table

ONE_WAY = "one-way"
UNREAD = "unread_"  # prefix of a header's names for sizes without a readable number
ROUNDED = "rounded_"  # and for those whose last printed digit leaves open so many percent of the time
LINES = "lines_"  # and for sizes with several lines, of which the median counts
SUMMARIES = ("completed", "confirmed")
SENT = "sent"  # all messages of a connection that may lose some; the confirmed ones arrived
WINDOW = "window"  # from the start of a size to some of its messages
ENDS = ("client", "server")  # of MPI, rank 0 and rank 1
BACK = "back"  # what the server sent in the other direction
SHARE = "share"  # what one of several queue pairs or connections sent, and the time to its end
# The CPU time of each end for the timed messages of a size, and the part of it in the kernel.
PROCESSOR = {end: (f"{end}_processor", f"{end}_kernel") for end in ENDS}
SETTLED = {"settled": "yes", "unsettled": "no"}  # the last window of rounds, and whether it settled

DEADLINE_S = 120
TRIES = 4  # a size may take this many times its least time: the last try, earlier ones, and a busy link
SLOW_BYTES_PER_S = 10**9 // 8 // 4  # a quarter of what Ethernet of 1 Gbit/s carries


@dataclass(frozen=True)
class Request:
    """The work of one trial, with the sizes in the order in which they run."""

    program: str
    operation: str
    measure: str  # throughput, latency, or ONE_WAY: the time of each side's own call
    counts: tuple[Counts, ...]
    parameters: Parameters

    @property
    def deadline_s(self) -> int:
        """Return the deadline_s of the experiment, else enough for all bytes over a slow link or at a pace, and for
        repeated sizes that ended too soon. The deadline inside the programs finds a stall earlier."""
        if self.parameters.deadline_s != "auto":
            return self.parameters.deadline_s
        slow_s = sum(self.messages(counts) * counts.size for counts in self.counts) // SLOW_BYTES_PER_S
        if pace := self.parameters.pace:
            slow_s += sum(map(self.messages, self.counts)) // pace
        size_s = TRIES * self.least_time_s + 2 * self.parameters.duration_s
        return max(DEADLINE_S, slow_s + size_s * len(self.counts))

    @property
    def least_time_s(self) -> int:
        """The least time of each size; 0 unless a plan sets it."""
        return 0 if self.parameters.least_time_s == "auto" else self.parameters.least_time_s

    def messages(self, counts: Counts) -> int:
        rounds = self.parameters.round_limits.cap if self.parameters.until_stable else 1
        return rounds * counts.iterations + counts.warmup


@dataclass(frozen=True)
class Sample:
    """One row of a record: a number of messages of one size, and their time."""

    size_bytes: int
    sample: str  # a window, a round, one of SUMMARIES, or a kind of round trip
    index: int
    messages: int
    bytes: int
    time_ns: int


@dataclass(frozen=True)
class Reading:
    header: dict[str, str]
    samples: tuple[Sample, ...]
    rounded: Mapping[int, float] = field(default_factory=dict)  # by size: the longest true time over the printed one


Steps = Callable[[Request, Ends], tuple[Step, ...]]
SizeStep = Callable[[Request, Ends, Counts, int], Step]  # the last is a port
Parse = Callable[[Request, tuple[StepOutcome, ...]], Reading]

# Files that people write; the build makes every other file in the folder.
ANY_SOURCE = (
    *("*.c", "*.h", "*.cc", "*.cpp", "*.cxx", "*.hpp"),
    *("*.md", "*.txt", "*.sh", "*.mk", "*akefile", "configure", "*.in"),
)


@dataclass(frozen=True)
class Build:
    """The command that makes the programs under test, its folder, and the source files there."""

    command: tuple[str, ...]
    folder: Path
    sources: tuple[str, ...] = ANY_SOURCE  # patterns of paths in the folder

    def is_source(self, path: str) -> bool:
        """Return whether a file of the folder belongs into a submission."""
        return any(fnmatchcase(path, pattern) for pattern in self.sources)


@dataclass(frozen=True)
class Program:
    """A pair of programs. The harness decides by these traits, never by a program's name."""

    name: str
    abilities: frozenset[tuple[str, str]]  # (operation, measure)
    steps: Steps
    parse: Parse
    binaries: tuple[Path, ...] = ()  # programs under test, put at DIRECTORY on the site
    build: Build | None = None  # makes the binaries of a student program; `make build` makes those of code/bench
    engine: bool = False  # a program of code/bench, with windows, rounds and its rules
    prints_samples: bool = False  # prints Verbyte's CSV, which a record stores apart from other output
    both_spin: bool = False  # client and server always busy-wait
    same_counts: bool = False  # the command names iterations and warm-up once, for all sizes
    rdma: bool = False  # needs an RDMA device
    grants: str = ""  # the card whose sizes of queues it gets in place of the requested ones
    emulated: tuple[str, ...] = ()  # what a preloaded library makes of the site
    parameters: frozenset[str] = frozenset()  # the names of those that change its commands
    table: Table | None = None  # the options of a program of code/bench
    reading: str = ""  # the output's format in an experiment's file: a part of the key
    reads_iterations: bool = False  # it prints a time of as many messages, without their number
    launched: bool = False  # started by an MPI launcher, so no site can sandbox it
    together: bool = False  # one command for each of several computers behind a switch
    silent: bool = False  # its output is not read: it only must work
    chooses_sizes: bool = False  # its command names none
    one_size: bool = False  # neither its command nor its output names a size
    whole_lists: bool = False  # posts only whole post lists: peer_post_list must divide the iterations
    largest_bytes: int | None = None  # limit of a message

    @property
    def by_student(self) -> bool:
        """Whether a submission contains it. A program without files of students is the course's."""
        return bool(self.build and self.build.sources)


def steps_per_size(step: SizeStep, port: int) -> Steps:
    """Run a pair of processes for each size, on consecutive ports."""
    return partial(_steps, step, port)  # not a closure: plans are pickled


def _steps(step: SizeStep, port: int, request: Request, ends: Ends) -> tuple[Step, ...]:
    return tuple(step(request, ends, counts, port + index) for index, counts in enumerate(request.counts))


def outputs_per_size(request: Request, outcomes: tuple[StepOutcome, ...]) -> Iterator[tuple[Counts, str]]:
    if len(outcomes) != len(request.counts):
        what = f"{plural(len(outcomes), 'output')} for {plural(len(request.counts), 'size')}"
        raise ParseError(what, where=request.program)
    return zip(request.counts, (outcome.client_out for outcome in outcomes), strict=True)
